import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import {
  createService,
  runService,
  startBackgroundWork,
  startOpsListener,
} from '../../src/start.js';
import { runCli, runJson } from '../operator/command-line.js';
import { addReservation, addTenant, addUnit, mayReadEvents } from '../support/builders.js';
import { startTcpProxy } from '../faults/support/tcp-proxy.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { operationsUrl, runUntilExit, send, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri, workerLogger } from '../support/test-service.js';
import { alertRules, dashboardQueries, queryProblems } from './queries.js';
import { metricLines, metricTypes, valueOf } from './metrics-text.js';
import { receivedSpans } from './spans.js';

const MONGODB_URI = randomDatabaseUri();
const production = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  OPS_PORT: '0',
  ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
  // A busy machine exceeds the default deadline without a hanging database.
  DATABASE_DEADLINE_MS: '30000',
};
const operator = { ...production, MONGODB_URI };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const personal = { name: 'Mona Farid', phoneNumber: '+201001234567', email: 'mona@example.com' };

const client = await new MongoClient(MONGODB_URI).connect();
const db = client.db();
expect(await runCli(['db', 'init'], operator)).toMatchObject({ code: 0 });
const { host, pathname } = new URL(MONGODB_URI);
const [proxy, collector, good, bad] = await Promise.all([
  startTcpProxy(decodeURIComponent(host)),
  startReceiver(200),
  startReceiver(204),
  startReceiver(500),
]);
const expiresAt = new Date('2999-12-31');
const { key, organizationId } = await addTenant(db, { key: { ...mayReadEvents, expiresAt } });
const organization = organizationId.toHexString();
const service = await startProcess({
  ...production,
  OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
  OTEL_BSP_SCHEDULE_DELAY: '100',
  MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}${pathname}?directConnection=true`,
  DRAIN_MS: '4000',
});
const operations = operationsUrl(service);
afterAll(async () => {
  proxy.stop();
  await Promise.all([collector.stop(), good.stop(), bad.stop()]);
  await db.dropDatabase();
  await client.close();
});

/** Options of services that run in the process of the test. */
const workerOptions = (variables: Record<string, string>) => {
  const own = { NODE_ENV: 'test', PORT: '0', HOST: '127.0.0.1', MONGODB_URI };
  const environment = readEnvironment({ ...variables, ...own });
  return { environment, logger: workerLogger(environment) };
};
const probe = async (path: string, from = operations) => {
  const response = await fetch(`${from}${path}`);
  return { status: response.status, body: (await response.json()) as object };
};
const metrics = async (from = operations) => {
  const response = await fetch(`${from}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
};
const get = (path: string, apiKey = key) => send(service.url, { method: 'GET', path, key: apiKey });
const addEndpoint = (url: string) =>
  runJson<{ readonly _id: string; readonly secret: string }>(
    ['webhook', 'add', '--org', organization, '--url', url, '--events', '*'],
    operator,
  );

it('the first scrapes return finite numbers', async () => {
  // Only one of several simultaneous scrapes finds new samples of the event loop.
  const scrapes = await Promise.all([metrics(), metrics(), metrics()]);
  // Durations and current timestamps in seconds are smaller than this.
  const limitOf = (name: string) => (name.endsWith('_seconds') ? 5e9 : Number.MAX_SAFE_INTEGER);
  const lines = scrapes.flatMap(metricLines);
  expect(lines.filter(({ name, value }) => !(Math.abs(value) < limitOf(name)))).toEqual([]);
  for (const statistic of ['min', 'mean', 'stddev', 'max', 'p99']) {
    expect(valueOf(lines, `nodejs_eventloop_lag_${statistic}_seconds`)).toBeDefined();
  }
});

it('the service stays ready without an index, which `db status` reports', async () => {
  const leads = db.collection('leads');
  const index = (await leads.indexes()).find(({ unique }) => unique);
  await leads.dropIndex(index?.name ?? '');
  try {
    const ready = { ready: true, phase: 'running', hasPrimary: true };
    expect(await probe('/readyz')).toEqual({ status: 200, body: ready });
    expect(await runCli(['db', 'status'], operator)).toMatchObject({ code: 1 });
    const output = expect.stringContaining('db init');
    expect(await runUntilExit(operator)).toMatchObject({ code: 1, output });
  } finally {
    expect(await runCli(['db', 'init'], operator)).toMatchObject({ code: 0 });
  }
});

describe('the metrics', () => {
  let text: string;
  let endpoints: { readonly _id: string; readonly secret: string }[];
  const value = (name: string, labels: Record<string, string> = {}) =>
    valueOf(metricLines(text), `integration_api_${name}`, labels);
  const read = async () => {
    text = await metrics();
  };

  beforeAll(async () => {
    endpoints = await Promise.all([addEndpoint(good.url), addEndpoint(bad.url)]);
    const headers = { traceparent: `00-${traceId}-${parentId}-01` };
    for (const lead of [
      { recordSystemId: 'one', ...personal },
      { recordSystemId: 'two' },
      { recordSystemId: 'one' },
    ]) {
      await send(service.url, { method: 'POST', path: '/leads', key, body: lead, headers });
    }
    await get('/leads/nobody');
    await Promise.all(['wait=1', 'wait=2', ''].map((query) => get(`/events?${query}`)));
    await get('/events?wait=0');
    await get('/events?wait=1', 'nobody');
    await get(`/nothing/${personal.email}`);
    await get('/leads/one', 'a wrong key');
    const unitId = await addUnit(db, organizationId);
    const reservationId = await addReservation(db, organizationId, unitId);
    const path = `/reservations/webhook?api-key=${key}`;
    await send(service.url, { method: 'POST', path, key: '', body: { reservationId } });
    // Each receiver gets the events of two leads, one of which has a client.
    await Promise.all([good.receivedRequests(3), bad.receivedRequests(3)]);
    await eventually(async () => {
      await read();
      expect(value('outbox_waiting_events')).toBe(0);
      expect(value('http_request_duration_seconds_count')).toBe(9);
      expect(value('long_poll_duration_seconds_count')).toBe(3);
    });
  });

  it.each([
    ['POST', '/leads', '201', 2],
    ['POST', '/leads', '200', 1],
    ['GET', '/leads/:recordSystemId', '404', 1],
    ['GET', '/leads/:recordSystemId', '401', 1],
    ['GET', 'unknown', '404', 1],
  ])('count requests of %s %s with status %s', (method, path, status, count) => {
    const route = path.startsWith('/') ? `/${basePath}${path}` : path;
    const labels = { method, route, status };
    expect(value('http_request_duration_seconds_count', labels)).toBe(count);
    expect(value('http_request_duration_seconds_bucket', { ...labels, le: '+Inf' })).toBe(count);
    expect(value('http_request_duration_seconds_sum', labels)).toBeGreaterThan(0);
  });

  it('count deliveries and failures by endpoint', async () => {
    const [delivering, failing] = endpoints;
    const attempts = (endpoint = '', result = '') =>
      value('delivery_attempts_total', { endpoint, result });
    await eventually(async () => {
      await read();
      expect(attempts(delivering?._id, 'delivered')).toBe(3);
      expect(attempts(failing?._id, 'failed')).toBeGreaterThanOrEqual(3);
    });
  });

  it.each<[string, Record<string, string>, [least: number, most: number]]>([
    ['long_poll_duration_seconds_count', { status: '200' }, [2, 2]],
    ['long_poll_duration_seconds_count', { status: '401' }, [1, 1]],
    ['http_request_duration_seconds_count', { route: `/${basePath}/events` }, [2, 2]],
    ['silent_keys', {}, [0, 0]],
    ['expiring_keys', {}, [0, 0]],
    ['http_requests_aborted_total', {}, [0, 0]],
    ['transactions_total', {}, [4, Infinity]],
    ['transaction_attempts_total', {}, [4, Infinity]],
    ['transaction_conflicts_total', {}, [0, Infinity]],
    ['lead_group_size_count', {}, [3, 3]],
    ['lead_group_size_bucket', { le: '1' }, [3, 3]],
    ['lead_group_size_sum', {}, [3, 3]],
    ['outbox_lag_seconds', {}, [0, 0]],
    ['delivery_lag_seconds', {}, [0, Infinity]],
    ['deliveries_due', {}, [0, Infinity]],
    ['database_connections', {}, [1, Infinity]],
    ['database_connections', { state: 'in use' }, [0, Infinity]],
    ['database_connection_waiting', {}, [0, 0]],
  ])('contain a plausible %s with the labels %j', (name, labels, [least, most]) => {
    expect(value(name, labels)).toBeGreaterThanOrEqual(least);
    expect(value(name, labels)).toBeLessThanOrEqual(most);
  });

  it('show the event loop and the memory of the process', () => {
    const types = metricTypes(text);
    expect(types.get('nodejs_eventloop_lag_seconds')).toBe('gauge');
    expect(types.get('process_resident_memory_bytes')).toBe('gauge');
  });

  it('contain no key, secret or personal data', () => {
    for (const word of [key, endpoints[0]?.secret ?? '', ...Object.values(personal)]) {
      expect(text).not.toContain(word);
    }
  });

  it('contain all names and labels that alert rules and dashboard query', async () => {
    // The state of endpoints is read once a minute, so only a new process has the current one.
    const { logger, environment } = workerOptions({ ...production, ROLE: 'api' });
    const fresh = await createService({ environment, databaseUri: MONGODB_URI, logger });
    const labels = new Map<string, Set<string>>();
    const from = (await startOpsListener(fresh)) ?? '';
    for (const { name, labels: named } of metricLines(text + (await metrics(from)))) {
      labels.set(name, new Set([...(labels.get(name) ?? []), ...Object.keys(named)]));
    }
    await fresh.shutDown();
    const queries = [...alertRules().map(({ expr }) => expr), ...dashboardQueries()];
    expect(queries.length).toBeGreaterThan(20);
    expect(queries.flatMap((query) => queryProblems(query, labels))).toEqual([]);
    expect(queryProblems('sum by (rout) (nope)', labels)).toHaveLength(2);
    expect(queryProblems('sum(', labels)).toEqual(['not PromQL: sum(']);
  });
});

describe('the traces', () => {
  it('continue the trace of the caller from the request to database commands', async () => {
    await eventually(() => {
      const spans = receivedSpans(collector).filter((span) => span.traceId === traceId);
      const requests = spans.filter(({ name }) => name === `POST /${basePath}/leads`);
      expect(requests).toHaveLength(3);
      const attributes = {
        'http.route': `/${basePath}/leads`,
        'http.response.status_code': '201',
        'organization.id': organization,
        'request.id': expect.stringMatching(/\S/),
      };
      expect(requests[0]).toMatchObject({ parentId, attributes });
      const childrenOf = (spanId?: string) => spans.filter((span) => span.parentId === spanId);
      const transaction = childrenOf(requests[0]?.spanId).find(
        ({ name }) => name === 'transaction',
      );
      const names = childrenOf(transaction?.spanId).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['insert changeLogs', 'commitTransaction']));
    });
  });

  it('include webhook attempts by endpoint', async () => {
    await eventually(() => {
      const attempt = receivedSpans(collector).find(({ name }) => name === 'webhook attempt');
      expect(attempt?.attributes).toHaveProperty(
        ['webhook.endpoint_id'],
        expect.stringMatching(/\S/),
      );
    });
  });

  it('contain no key, path or personal data', () => {
    const text = collector.received.map(({ body }) => body).join('');
    expect(text).toContain('integration-api');
    for (const word of [key, '/nothing/', good.url, ...Object.values(personal)]) {
      expect(text).not.toContain(word);
    }
  });
});

describe('a service whose database does not respond', () => {
  beforeAll(() => proxy.pause());
  afterAll(() => proxy.resume());

  it('returns all metrics except those of the database', async () => {
    // The second scrape must not repeat the hanging queries.
    for (const lines of [metricLines(await metrics()), metricLines(await metrics())]) {
      expect(valueOf(lines, 'integration_api_transactions_total')).toBeGreaterThanOrEqual(4);
      expect(valueOf(lines, 'integration_api_outbox_lag_seconds')).toBeUndefined();
    }
  });

  it('is alive but not ready', async () => {
    const body = { ready: false, hasPrimary: false };
    expect(await probe('/readyz')).toMatchObject({ status: 503, body });
    expect(await probe('/livez')).toMatchObject({ status: 200 });
  });
});

it('a worker serves metrics and probes', async () => {
  const { logger, environment } = workerOptions({ ...production, ROLE: 'worker' });
  const worker = await createService({ environment, databaseUri: MONGODB_URI, logger });
  try {
    const from = (await startOpsListener(worker)) ?? '';
    startBackgroundWork(worker);
    expect(await probe('/readyz', from)).toMatchObject({ status: 200, body: { phase: 'running' } });
    expect(await metrics(from)).toContain('\nintegration_api_outbox_waiting_events ');
  } finally {
    await worker.shutDown();
  }
});

it('a start fails and names the variable when the address is in use', async () => {
  const { port } = new URL(operations);
  const { environment, logger } = workerOptions({ OPS_PORT: port });
  await expect(runService(environment, logger)).rejects.toThrow(
    `127.0.0.1:${port} is in use, perhaps by an earlier instance: stop it, or set OPS_PORT to a`,
  );
});

it('a shutdown logs the drain as JSON, without secrets', async () => {
  service.process.kill('SIGTERM');
  await eventually(async () => {
    expect(await probe('/readyz')).toMatchObject({ status: 503, body: { phase: 'draining' } });
  });
  expect(await probe('/livez')).toMatchObject({ status: 200 });
  expect(await service.exited).toBe(0);
  const printed = service.stdout().trimEnd().split('\n');
  const logged = printed.map((line) => JSON.parse(line) as Document);
  expect(logged.at(-1)).toMatchObject({ level: 30, msg: 'Stopped.' });
  expect(logged.filter(({ msg }) => msg === 'request completed').length).toBeGreaterThanOrEqual(7);
  for (const word of [key, 'a wrong key', ...Object.values(personal)]) {
    expect(service.output()).not.toContain(word);
  }
});
