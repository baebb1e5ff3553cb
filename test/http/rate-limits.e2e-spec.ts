import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiKeysRepository } from '../../src/tenants/keys/api-keys.repository.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { LongPollWaiters } from '../../src/events/feed/long-poll-waiters.js';
import { valueIn } from '../operations/metrics-text.js';
import { runJson } from '../operator/command-line.js';
import { addKey, mayReadEvents } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { openSocket, rawRequest, sendRaw } from '../support/raw-http.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: TenantApi;
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
  tenant = await service.addTenant();
});
afterAll(() => service.stop());

const read = (key: string) => tenant.with(key).get('/leads/none');
const newKey = (fields = {}) => tenant.add(addKey, fields);
const times = <T>(count: number, work: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, work));

/** Sends this many requests at the same time, and returns how many are accepted. */
async function countAccepted(key: string, count: number): Promise<number> {
  const responses = await times(count, async () => read(key));
  for (const { status } of responses) expect([404, 429]).toContain(status);
  return responses.filter(({ status }) => status === 404).length;
}

const tooManyRequests = (message: string, code: string, policy: string) => ({
  status: 429,
  headers: {
    'retry-after': '1',
    'ratelimit-policy': policy,
    ratelimit: `${policy.split(';')[0]};r=0;t=1`,
    'x-error-code': code,
  },
  body: { statusCode: 429, message, error: 'Too Many Requests' },
});

describe('the rate limit of an API key', () => {
  it('is judged before operations and addresses, and counts a refused request once', async () => {
    for (const restriction of [
      { operations: ['leads.write'] },
      { addresses: ['203.0.113.7'], operations: ['leads.read'] },
    ]) {
      const key = await newKey({ permissions: { allowExternal: true, ...restriction } });
      const responses = [];
      for (let sent = 0; sent < 12; sent++) responses.push(await read(key));
      const refused = Array.from({ length: 10 }, (_, sent) => [403, `"default";r=${9 - sent};t=1`]);
      const limited = [429, '"default";r=0;t=1'];
      expect(responses.map(({ status, headers }) => [status, headers['ratelimit']])).toEqual([
        ...refused,
        limited,
        limited,
      ]);
    }
  });

  it('allows the burst, then as many requests as the bucket refills', async () => {
    const key = await newKey();
    expect(await countAccepted(key, 25)).toBe(10);
    now += 500;
    expect(await countAccepted(key, 10)).toBe(2);
    now += 3_600_000;
    expect(await countAccepted(key, 25)).toBe(10);
  });

  it('ignores requests of another key of the organization', async () => {
    expect(await countAccepted(await newKey(), 15)).toBe(10);
    expect(await countAccepted(await newKey(), 5)).toBe(5);
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
    await countAccepted(key, 10);
    const message = 'بلغ مفتاح API هذا حد الطلبات: أعد المحاولة بعد المهلة المذكورة في Retry-After';
    expect(await read(key).set('language', 'ar-eg')).toMatchObject(
      tooManyRequests(message, 'request.rate_limited', policy),
    );
  });

  it('counts requests after the check of route and key, before their bodies', async () => {
    const key = await newKey();
    await countAccepted(key, 10);
    const body = ['Content-Type: text/plain', 'Content-Length: 2000000', 'Expect: 100-continue'];
    const statusOf = async (line: string, apiKey: string) => {
      const headers = ['Host: x', `api-key: ${apiKey}`, ...body];
      return (await sendRaw(service.url, `${line} HTTP/1.1`, headers)).status;
    };
    expect(await statusOf('POST /nowhere', key)).toBe(404);
    expect(await statusOf(`PUT /${basePath}/leads`, key)).toBe(405);
    expect(await statusOf(`POST /${basePath}/leads`, 'nope')).toBe(401);
    expect(await statusOf(`POST /${basePath}/leads`, key)).toBe(429);
    now += 1_000;
    expect(await statusOf(`POST /${basePath}/leads`, key)).toBe(413);
  });

  it('ignores requests to public endpoints', async () => {
    const responses = await times(30, async () => service.api('get', '/healthz'));
    for (const { status, headers } of responses) {
      expect([status, headers['ratelimit']]).toEqual([200, undefined]);
    }
  });

  it('equals the limit stored with the key, unless the stored limit is invalid', async () => {
    expect(await countAccepted(await newKey({ rateLimit: { rps: 1, burst: 15 } }), 30)).toBe(15);
    expect(await countAccepted(await newKey({ rateLimit: { rps: 0, burst: 1 } }), 30)).toBe(30);
    for (const invalid of [null, { rps: 3 }, { rps: -1, burst: 15 }, { rps: 1.5, burst: 15 }]) {
      expect(await countAccepted(await newKey({ rateLimit: invalid }), 30)).toBe(10);
    }
  });

  it('equals the limit that the operator sets, even after a rotation', async () => {
    const cli = (command: string) =>
      runJson<{ _id: string; key: string }>(command.split(' '), {
        MONGODB_URI: service.databaseUri,
      });
    const org = tenant.organizationId.toHexString();
    const issued = await cli(`key issue --org ${org} --name CRM --for crm --rps 1 --burst 3`);
    expect(await countAccepted(issued.key, 20)).toBe(3);
    const rotated = await cli(`key rotate ${issued._id}`);
    expect(await countAccepted(rotated.key, 20)).toBe(3);
    expect(await cli(`key list --org ${org}`)).toContainEqual(
      expect.objectContaining({ _id: rotated._id, rateLimit: { rps: 1, burst: 3 } }),
    );
    const limited = await cli(`key limit ${rotated._id} --rps 8`);
    expect(limited).toMatchObject({ rateLimit: { rps: 8, burst: 16 } });
    expect(await cli(`key limit ${issued._id} --default`)).toMatchObject({ rateLimit: null });
    await eventually(async () => {
      // All buckets refill in a minute, while the replaced key does not expire yet.
      now += 60_000;
      expect(await countAccepted(rotated.key, 30)).toBe(16);
      expect(await countAccepted(issued.key, 30)).toBe(10);
    }, 5_000);
  });
});

describe('failed authentications', () => {
  const from = (address: string, key = 'nope') => read(key).set('x-forwarded-for', address);
  const countRefused = async (address: string) => {
    const responses = await times(12, async () => from(address));
    return responses.filter(({ status }) => status === 401).length;
  };

  it('are limited per client address, and per /64 for IPv6', async () => {
    expect(await countRefused('192.0.2.1')).toBe(5);
    expect(await countRefused('::ffff:192.0.2.1')).toBe(0);
    expect(await countRefused('192.0.2.2')).toBe(5);
    expect(await countRefused('2001:db8:1:2::3')).toBe(5);
    expect(await countRefused('2001:db8:1:2:ffff::1')).toBe(0);
    expect(await countRefused('2001:db8:1:3::1')).toBe(5);
    now += 1_000;
    expect(await countRefused('192.0.2.1')).toBe(2);
  });

  it('count for the address that the trusted proxy saw, not a claimed one', async () => {
    expect(await countRefused('192.0.2.3')).toBe(5);
    expect(await countRefused('198.51.100.1, 192.0.2.3')).toBe(0);
  });

  it('include requests without a key, and cause 429 with Retry-After beyond the limit', async () => {
    const missing = async () => from('192.0.2.4', '');
    const responses = await times(7, missing);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
    const message =
      'Too many requests without a valid API key: retry after the delay in Retry-After';
    expect(await missing()).toMatchObject(
      tooManyRequests(message, 'key.too_many_failures', '"authentication";q=5;w=3'),
    );
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

  it('from a limited address cause no query and do not block a key in use', async () => {
    const address = '192.0.2.5';
    const used = await newKey();
    await from('192.0.2.6', used).expect(404);
    expect(await countRefused(address)).toBe(5);
    const find = jest.spyOn(service.service.app.get(ApiKeysRepository), 'findByHash');
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
    const find = jest.spyOn(service.service.app.get(ApiKeysRepository), 'findByHash');
    const unknown = `unknown ${Math.random()}`;
    const address = '192.0.2.9';
    const statusWith = async (key: string) =>
      (await read(key).set('x-forwarded-for', address)).status;
    expect(await times(3, () => statusWith(unknown))).toEqual([401, 401, 401]);
    expect(await statusWith(unknown)).toBe(401);
    expect(find).toHaveBeenCalledTimes(1);
    find.mockRestore();
    const hash = createHash('sha256').update(unknown).digest('hex');
    await newKey({ hash });
    await eventually(async () => {
      now += 1_000;
      expect(await statusWith(unknown)).toBe(404);
    }, 5_000);
  });
});

describe('MAX_CONCURRENT_REQUESTS', () => {
  let limited: TestService;
  beforeAll(async () => {
    limited = await startTestService({ MAX_CONCURRENT_REQUESTS: '2' });
  });
  afterAll(() => limited.stop());

  /** A request that runs until its socket is destroyed, because its body never ends. */
  const holdRequest = async (key: string) => {
    const headers = [`api-key: ${key}`, 'Content-Type: application/json', 'Content-Length: 9'];
    const socket = openSocket(limited.url).on('error', () => undefined);
    socket.write(rawRequest(`POST /${basePath}/leads`, [...headers, 'Expect: 100-continue']));
    await once(socket, 'data');
    return socket;
  };

  it('refuses further requests of the key until one ends, and those of no other key', async () => {
    const one = await limited.addTenant();
    const other = await limited.addTenant();
    const sockets = [await holdRequest(one.key), await holdRequest(one.key)];
    const refused = await one.get('/leads/none');
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'x-error-code': 'request.rate_limited',
    });
    await other.get('/leads/none').expect(404);
    sockets[0]?.destroy();
    await eventually(async () => one.get('/leads/none').expect(404));
    sockets[1]?.destroy();
  });

  it('counts pipelined requests until their connection closes', async () => {
    const { key } = await limited.addTenant({ key: mayReadEvents });
    const socket = openSocket(limited.url).on('error', () => undefined);
    const get = (path: string) =>
      rawRequest(`GET /${basePath}${path}`, [`api-key: ${key}`, 'x-request-id: pipelined']);
    // The responses of the others wait for that of the first.
    socket.write(get('/events?after=0&wait=20') + get('/leads/none').repeat(2));
    const readLead = () => limited.api('get', '/leads/none').set('api-key', key);
    const metrics = limited.service.app.get(Metrics);
    await eventually(async () =>
      expect(await valueIn(metrics, 'key_requests_running_max')).toBe(2),
    );
    expect((await readLead()).status).toBe(429);
    socket.destroy();
    await eventually(async () => expect((await readLead()).status).toBe(404));
    await eventually(() => expect(logLinesWith(limited.logged(), 'pipelined')).toHaveLength(3));
  });

  it('does not count long polls that wait', async () => {
    const { key } = await limited.addTenant({ key: mayReadEvents });
    const polls = Array.from({ length: 5 }, () =>
      openSocket(limited.url).on('error', () => undefined),
    );
    for (const socket of polls) {
      socket.write(rawRequest(`GET /${basePath}/events?after=0&wait=20`, [`api-key: ${key}`]));
    }
    await eventually(() =>
      expect(limited.service.app.get(LongPollWaiters).count).toBeGreaterThanOrEqual(5),
    );
    await limited.api('get', '/leads/none').set('api-key', key).expect(404);
    for (const socket of polls) socket.destroy();
  });
});
