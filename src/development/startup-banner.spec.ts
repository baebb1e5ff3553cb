import { expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { readEnvironment } from '../core/configuration/load-environment.js';
import { firstCallbacks, firstRequest, type StartupInfo, startupLines } from './startup-banner.js';

const url = 'http://127.0.0.1:9464';
const OPS_PASSWORD = 'scrypt:32768:8:3:salt:hash';

it.each([
  [url, null, { OPS_PASSWORD }, `${url}/console`],
  [
    url,
    '/console/login?link=x',
    {},
    `${url}/console/login?link=x  (logs in once, within 10 minutes)`,
  ],
  [url, null, {}, undefined],
  [null, null, { OPS_PASSWORD }, undefined],
] as const)(
  'the console of %s with the link %s and %j: %s',
  (operationsUrl, loginPath, set, line) => {
    const environment = {
      ...readEnvironment({ MONGODB_URI: 'mongodb://x/y?replicaSet=z' }),
      ...set,
    };
    const database = { description: '' };
    const started = { url: null, operationsUrl, loginPath, environment, database, demo: null };
    const lines = new Map(startupLines(started as unknown as StartupInfo));
    expect(lines.get('Console')).toBe(line);
  },
);

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

it('firstCallbacks returns commands with the keys of collectors only while they are known', () => {
  const reservationId = '6740b1f2c3d4e5f607182940';
  const demo = {
    organizationId: new Types.ObjectId(),
    keys: new Map([['collector', 'iapi_1']] as const),
    signedCollector: { key: 'iapi_2', signingSecret: 'whsec_3' },
    reservations: { 'sandbox-reservation-pending-cheque-collection': reservationId },
  };
  const report = `{"reservationId":"${reservationId}","installmentId":"installment-2","chequeStatus":"pending"}`;
  expect(firstCallbacks({ url, demo })?.split('\n')).toEqual([
    `curl -sS -i ${url}/external/apis/v1.0/reservations/webhook \\`,
    "  -H 'api-key: iapi_1' -H 'content-type: application/json' \\",
    `  -d '${report}'`,
    '',
    `API_URL=${url} API_KEY=iapi_2 SIGNING_SECRET=whsec_3 \\`,
    `  node docs/guides/programs/sign-callback.mjs ${reservationId} installment-2 collected`,
  ]);
  expect(firstCallbacks({ url, demo: { ...demo, keys: null } })).toBeNull();
  expect(firstCallbacks({ url, demo: null })).toBeNull();
  expect(firstCallbacks({ url: null, demo })).toBeNull();
});
