import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOperations } from '../../src/start.js';
import { addKey, addTenant, mayReadEvents, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { metricLines, valueOf } from './metrics-text.js';

/** Event loops are never blocked and nothing waits for so many seconds; times of today are less, too. */
const maxSeconds = 5e9;

let service: TestService;
let operations: string;
let tenant: Tenant;

const scrape = async (from = operations) =>
  metricLines(await (await fetch(`${from}/metrics`)).text());
const count = async (name: string, labels: Record<string, string> = {}) =>
  valueOf(await scrape(), `integration_api_${name}_duration_seconds_count`, labels) ?? 0;
const readEvents = (query: string, key = tenant.key) =>
  service.api('get', `/events?${query}`).set('api-key', key);

beforeAll(async () => {
  service = await startTestService({ OPS_PORT: '0' });
  operations = (await startOperations(service.service)) ?? '';
});
afterAll(() => service.stop());

it('GET /metrics returns finite numbers in the first scrapes', async () => {
  // Only one of several simultaneous scrapes finds new event loop samples.
  const scrapes = await Promise.all([scrape(), scrape(), scrape()]);
  const odd = scrapes
    .flat()
    .filter(
      ({ name, value }) =>
        !(Math.abs(value) < (name.endsWith('_seconds') ? maxSeconds : Number.MAX_SAFE_INTEGER)),
    );
  expect(odd).toEqual([]);
  const names = new Set(scrapes[0].map(({ name }) => name));
  for (const statistic of ['min', 'mean', 'stddev', 'max', 'p99']) {
    expect(names).toContain(`nodejs_eventloop_lag_${statistic}_seconds`);
  }
});

it('GET /metrics counts long polls in a separate histogram', async () => {
  tenant = await addTenant(service.db, { key: mayReadEvents });
  await readEvents('wait=1').expect(200);
  await readEvents('timeout=1').expect(200);
  await readEvents('wait=1', 'nobody').expect(401);
  await eventually(async () => {
    expect(await count('long_poll', { status: '200' })).toBe(2);
    expect(await count('long_poll', { status: '401' })).toBe(1);
  });
  expect(await count('http_request')).toBe(0);
  await readEvents('').expect(200);
  await readEvents('wait=0&timeout=1000').expect(200);
  await service.api('get', '/units?limit=1').set('api-key', tenant.key).expect(200);
  await eventually(async () => expect(await count('http_request', { status: '200' })).toBe(3));
  expect(await count('long_poll')).toBe(3);
});

it('GET /metrics returns the expiry time of each used key', async () => {
  const expiresAt = new Date('2999-01-01');
  const key = await addKey(service.db, tenant.organizationId, { expiresAt });
  await service.api('get', '/leads/none').set('api-key', key).expect(404);
  const name = 'integration_api_key_expires_timestamp_seconds';
  await eventually(async () => expect(valueOf(await scrape(), name)).toBe(+expiresAt / 1_000));
});

it('GET /metrics keeps two services in one process apart', async () => {
  const other = await startTestService({ OPS_PORT: '0' });
  try {
    const lines = await scrape((await startOperations(other.service)) ?? '');
    expect(valueOf(lines, 'integration_api_key_calls_total')).toBeUndefined();
    expect(valueOf(await scrape(), 'integration_api_key_calls_total')).toBe(6);
  } finally {
    await other.stop();
  }
});
