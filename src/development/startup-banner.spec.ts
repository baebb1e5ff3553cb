import { expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { consoleLines, firstRequest } from './startup-banner.js';

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

it('firstRequest returns a curl command only while the key of the website is known', () => {
  const demo = {
    organizationId: new Types.ObjectId(),
    keys: new Map([['website', 'iapi_1']] as const),
  };
  expect(firstRequest({ url, demo })?.split('\n')).toEqual([
    `curl -sS -w '\\n' ${url}/external/apis/v1.0/leads \\`,
    "  -H 'api-key: iapi_1' -H 'content-type: application/json' \\",
    expect.stringMatching(/^ {2}-d '\{"recordSystemId":"form-1",[^']+\}'$/),
  ]);
  expect(firstRequest({ url, demo: { ...demo, keys: null } })).toBeNull();
  expect(firstRequest({ url, demo: null })).toBeNull();
  expect(firstRequest({ url: null, demo })).toBeNull();
});
