import { expect, it } from '@jest/globals';
import { consoleLines } from './startup-banner.js';

const url = 'http://127.0.0.1:9464';
const OPS_PASSWORD = 'scrypt:32768:8:3:salt:hash';

it.each([
  [url, { OPS_PASSWORD, NODE_ENV: 'production' }, [['Console', `${url}/console`]]],
  [url, { OPS_PASSWORD: undefined, NODE_ENV: 'production' }, []],
  [null, { OPS_PASSWORD, NODE_ENV: 'development' }, [['Console', 'off: set OPS_PORT']]],
  [
    url,
    { NODE_ENV: 'development' },
    [['Console', 'off: set OPS_PASSWORD (see npm run cli -- console password)']],
  ],
  [
    null,
    { NODE_ENV: 'development' },
    [['Console', 'off: set OPS_PORT, and OPS_PASSWORD (see npm run cli -- console password)']],
  ],
] as const)('consoleLines(%j, %j) returns %j', (address, environment, lines) => {
  expect(consoleLines(address, environment)).toEqual(lines);
});
