import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiKeysService } from '../../src/tenants/keys/api-keys.service.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { runJson } from '../operator/command-line.js';
import { addKey, addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { openSocket, rawRequest, sendRaw } from '../support/raw-http.js';
import { basePath } from '../support/shared-service.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: Tenant;
let now = Date.now();

beforeAll(async () => {
  service = await startTestService({
    RATE_LIMIT_RPS: '4',
    RATE_LIMIT_BURST: '10',
    AUTH_FAILURE_RPS: '2',
    AUTH_FAILURE_BURST: '5',
    TRUST_PROXY: '1',
  });
  service.service.app.get(Clock).now = () => new Date(now);
  tenant = await addTenant(service.db);
});
afterAll(() => service.stop());

const read = (key: string) => service.api('get', '/leads/none').set('api-key', key);
const newKey = (fields = {}) => addKey(service.db, tenant.organizationId, fields);
const times = <T>(count: number, work: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, work));

/** How many of so many requests at once are let in. */
async function letIn(key: string, count: number): Promise<number> {
  const responses = await times(count, async () => read(key));
  expect(responses.every(({ status }) => status === 404 || status === 429)).toBe(true);
  return responses.filter(({ status }) => status === 404).length;
}

describe('the rate limit of an API key', () => {
  it('allows the burst, then as many requests as the bucket refills', async () => {
    const key = await newKey();
    expect(await letIn(key, 25)).toBe(10);
    now += 500;
    expect(await letIn(key, 10)).toBe(2);
    now += 3_600_000;
    expect(await letIn(key, 25)).toBe(10);
  });

  it('ignores requests of another key of the organization', async () => {
    const [one, other] = [await newKey(), await newKey()];
    expect(await letIn(one, 15)).toBe(10);
    expect(await letIn(other, 5)).toBe(5);
  });

  it('reports the remaining quota in every response', async () => {
    const key = await newKey();
    const policy = '"default";q=10;w=3';
    for (const left of [9, 8]) {
      expect((await read(key).expect(404)).headers).toMatchObject({
        'ratelimit-policy': policy,
        ratelimit: `"default";r=${left};t=1`,
      });
    }
    await letIn(key, 10);
    const refused = await read(key).set('language', 'ar-eg').expect(429);
    expect(refused).toMatchObject({
      headers: {
        'retry-after': '1',
        'ratelimit-policy': policy,
        ratelimit: '"default";r=0;t=1',
        'x-error-code': 'request.rate_limited',
      },
      body: {
        statusCode: 429,
        message: 'بلغ مفتاح API الحد المسموح به من الطلبات، يرجى المحاولة لاحقًا',
        error: 'Too Many Requests',
      },
    });
  });

  it('counts requests after the check of route and key, before their bodies', async () => {
    const key = await newKey();
    await letIn(key, 10);
    const headers = (apiKey: string) => [
      'Host: x',
      `api-key: ${apiKey}`,
      'Content-Type: text/plain',
      'Content-Length: 2000000',
      'Expect: 100-continue',
    ];
    const statusOf = async (line: string, apiKey: string) =>
      (await sendRaw(service.url, `${line} HTTP/1.1`, headers(apiKey))).status;
    expect(await statusOf('POST /nowhere', key)).toBe(404);
    expect(await statusOf(`PUT /${basePath}/leads`, key)).toBe(405);
    expect(await statusOf(`POST /${basePath}/leads`, 'nope')).toBe(401);
    expect(await statusOf(`POST /${basePath}/leads`, key)).toBe(429);
    now += 1_000;
    expect(await statusOf(`POST /${basePath}/leads`, key)).toBe(413);
  });

  it('ignores requests to public endpoints', async () => {
    for (const { status, headers } of await times(30, () => service.api('get', '/healthz'))) {
      expect(status).toBe(200);
      expect(headers).not.toHaveProperty('ratelimit');
    }
  });

  it('is the limit stored with the key, unless the stored limit is invalid', async () => {
    const limits: [object | null, number][] = [
      [{ rps: 1, burst: 15 }, 15],
      [{ rps: 0, burst: 1 }, 30],
      [null, 10],
      [{ rps: 3 }, 10],
      [{ rps: -1, burst: 15 }, 10],
      [{ rps: 1.5, burst: 15 }, 10],
    ];
    for (const [rateLimit, count] of limits) {
      expect(await letIn(await newKey({ rateLimit }), 30)).toBe(count);
    }
  });

  it('is the limit that the operator sets, even after a rotation', async () => {
    const cli = <T>(...args: string[]) => runJson<T>(args, { MONGODB_URI: service.databaseUri });
    const org = tenant.organizationId.toHexString();
    const ofKey = { rps: 1, burst: 3 };
    const issue = `key issue --org ${org} --name CRM --for crm --rps 1 --burst 3`.split(' ');
    const issued = await cli<{ _id: string; prefix: string; key: string }>(...issue);
    expect(await letIn(issued.key, 20)).toBe(3);
    const rotated = await cli<{ _id: string; key: string }>('key', 'rotate', issued._id);
    expect(await letIn(rotated.key, 20)).toBe(3);
    const list = await cli<{ _id: string; rateLimit: unknown }[]>('key', 'list', '--org', org);
    expect(list.find(({ _id }) => _id === rotated._id)).toMatchObject({ rateLimit: ofKey });

    const limited = await cli('key', 'limit', rotated._id, '--rps', '8');
    expect(limited).toMatchObject({ rateLimit: { rps: 8, burst: 16 } });
    const ended = await cli('key', 'limit', issued._id, '--default');
    expect(ended).toMatchObject({ rateLimit: null });
    await eventually(async () => {
      // Enough for every limit to fill up again, and far from the day after which the old key ends.
      now += 60_000;
      expect([await letIn(rotated.key, 30), await letIn(issued.key, 30)]).toEqual([16, 10]);
    }, 5_000);
  });
});

describe('failed authentications', () => {
  const from = (address: string, key = 'nope') => read(key).set('x-forwarded-for', address);
  const failures = async (address: string) => {
    const responses = await times(12, async () => from(address));
    return responses.filter(({ status }) => status === 401).length;
  };

  it('are limited per client address, and per /64 for IPv6', async () => {
    expect(await failures('192.0.2.1')).toBe(5);
    expect(await failures('::ffff:192.0.2.1')).toBe(0);
    expect(await failures('192.0.2.2')).toBe(5);
    expect(await failures('2001:db8:1:2::3')).toBe(5);
    expect(await failures('2001:db8:1:2:ffff::1')).toBe(0);
    expect(await failures('2001:db8:1:3::1')).toBe(5);
    now += 1_000;
    expect(await failures('192.0.2.1')).toBe(2);
  });

  it('count for the address that the trusted proxy saw, not a claimed one', async () => {
    expect(await failures('192.0.2.3')).toBe(5);
    expect(await failures('198.51.100.1, 192.0.2.3')).toBe(0);
  });

  it('include requests without a key, and return 429 with Retry-After', async () => {
    const missing = () =>
      service.api('get', '/compounds').set('x-forwarded-for', '192.0.2.4').set('api-key', '');
    const responses = await times(7, async () => missing());
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(await missing().expect(429)).toMatchObject({
      headers: {
        'retry-after': '1',
        'ratelimit-policy': '"authentication";q=5;w=3',
        ratelimit: '"authentication";r=0;t=1',
        'x-error-code': 'key.too_many_failures',
      },
      body: {
        statusCode: 429,
        message: 'Too many requests without a valid API key, please try again later',
        error: 'Too Many Requests',
      },
    });
  });

  it('return 401 when a reset connection has no address', async () => {
    const id = randomUUID();
    const client = openSocket(service.url);
    const sent = rawRequest(`GET /${basePath}/compounds`, [`x-request-id: ${id}`]);
    await new Promise((resolve) => client.write(sent, resolve));
    client.resetAndDestroy();
    const lines = () => logLinesWith(service.logged(), id);
    await eventually(() => expect(lines()).toMatchObject([{ status: 401 }]), 5_000);
  });

  it('cause no query from a limited address, and block no key in use', async () => {
    const address = '192.0.2.5';
    const used = await newKey();
    await from('192.0.2.6', used).expect(404);
    expect(await failures(address)).toBe(5);
    const find = jest.spyOn(service.service.app.get(ApiKeysService), 'findByHash');
    for (let index = 0; index < 5; index++) await from(address, `other ${index}`).expect(429);
    expect(find).not.toHaveBeenCalled();
    await from(address, used).expect(404);
    await from(address, await newKey()).expect(429);
    now += 500;
    await from(address, await newKey()).expect(404);
    find.mockRestore();
  });
});

describe('an unknown key', () => {
  it('causes one query per second, and is accepted soon after its issue', async () => {
    now += 3_600_000;
    const find = jest.spyOn(service.service.app.get(ApiKeysService), 'findByHash');
    const unknown = `unknown ${Math.random()}`;
    const address = '192.0.2.9';
    const ask = async (key: string) => (await read(key).set('x-forwarded-for', address)).status;
    expect(await times(3, () => ask(unknown))).toEqual([401, 401, 401]);
    expect(await ask(unknown)).toBe(401);
    expect(find).toHaveBeenCalledTimes(1);
    find.mockRestore();
    const hash = createHash('sha256').update(unknown).digest('hex');
    await newKey({ hash });
    await eventually(async () => {
      now += 1_000;
      expect(await ask(unknown)).toBe(404);
    }, 5_000);
  });
});
