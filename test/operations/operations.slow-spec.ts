import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, type Document, MongoClient } from 'mongodb';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { createService, runService, startBackground, startOperations } from '../../src/start.js';
import { runCli, runJson } from '../operator/command-line.js';
import { addReservation, addTenant, addUnit, type Tenant } from '../support/builders.js';
import { startTcpProxy, type TcpProxy } from '../faults/support/tcp-proxy.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import {
  operationsUrl,
  runToEnd,
  send,
  type ServiceProcess,
  startProcess,
} from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri, workerLogger } from '../support/test-service.js';
import { alertRules, dashboardQueries, problemsOf } from './queries.js';
import { type MetricLine, metricLines, metricTypes, valueOf } from './metrics-text.js';
import { receivedSpans } from './spans.js';

const MONGODB_URI = randomDatabaseUri();
const production = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  OPS_PORT: '0',
  ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
  // A hanging database must differ from a busy machine.
  DATABASE_DEADLINE_MS: '30000',
};
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const personal = { name: 'Mona Farid', phoneNumber: '+201001234567', email: 'mona@example.com' };

let client: MongoClient;
let db: Db;
let proxy: TcpProxy;
let collector: Receiver;
let good: Receiver;
let bad: Receiver;
let tenant: Tenant;
let service: ServiceProcess;
let operations: string;

beforeAll(async () => {
  client = await new MongoClient(MONGODB_URI).connect();
  db = client.db();
  const prepared = await runCli(['db', 'init'], { ...production, MONGODB_URI });
  expect(prepared).toMatchObject({ code: 0 });
  const { host, pathname } = new URL(MONGODB_URI);
  [proxy, collector, good, bad, tenant] = await Promise.all([
    startTcpProxy(decodeURIComponent(host)),
    startReceiver(200),
    startReceiver(204),
    startReceiver(500),
    addTenant(db),
  ]);
  const ending = { $set: { expiresAt: new Date('2999-12-31') } };
  await db.collection('apiKeys').updateOne({ organizationId: tenant.organizationId }, ending);
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  service = await startProcess({
    ...production,
    ...traced,
    MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}${pathname}?directConnection=true`,
    DRAIN_MS: '4000',
  });
  operations = operationsUrl(service);
});
afterAll(async () => {
  proxy?.stop();
  await Promise.all([collector.stop(), good.stop(), bad.stop()]);
  await db.dropDatabase();
  await client.close();
});

/** For what needs no process of its own. */
const workerOptions = (variables: Record<string, string>) => {
  const environment = readEnvironment({
    ...variables,
    NODE_ENV: 'test',
    PORT: '0',
    HOST: '127.0.0.1',
    MONGODB_URI,
  });
  return { environment, logger: workerLogger(environment) };
};
const probe = async (path: string, from = operations) => {
  const response = await fetch(`${from}${path}`);
  return { status: response.status, body: (await response.json()) as object };
};
const metrics = async (from = operations) => {
  const response = await fetch(`${from}/metrics`);
  return { type: response.headers.get('content-type'), text: await response.text() };
};
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/${basePath}${path}`, {
    method: 'POST',
    headers: { 'api-key': tenant.key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const addEndpoint = (url: string) =>
  runJson<{ readonly _id: string; readonly secret: string }>(
    ['webhook', 'add', '--org', tenant.organizationId.toHexString(), '--url', url, '--events', '*'],
    { ...production, MONGODB_URI },
  );

it('the service stays ready without an index, which `db status` reports', async () => {
  const ready = { ready: true, phase: 'running', hasPrimary: true };
  const leads = db.collection('leads');
  const index = (await leads.indexes()).find(({ unique }) => unique);
  await leads.dropIndex(index?.name ?? '');
  const environment = { ...production, MONGODB_URI };
  try {
    expect(await probe('/readyz')).toEqual({ status: 200, body: ready });
    expect(await runCli(['db', 'status'], environment)).toMatchObject({ code: 1 });
    const { code, output } = await runToEnd(environment);
    expect(code).toBe(1);
    expect(output).toContain('db init');
  } finally {
    expect(await runCli(['db', 'init'], environment)).toMatchObject({ code: 0 });
  }
});

describe('the metrics', () => {
  let lines: readonly MetricLine[];
  let types: Map<string, string>;
  let text: string;
  let endpoints: { readonly _id: string; readonly secret: string }[];
  const value = (name: string, labels: Record<string, string> = {}) =>
    valueOf(lines, `integration_api_${name}`, labels);

  beforeAll(async () => {
    endpoints = await Promise.all([addEndpoint(good.url), addEndpoint(bad.url)]);
    for (const recordSystemId of ['one', 'two', 'one']) {
      const trace = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
      await post(
        '/leads',
        { recordSystemId, ...(recordSystemId === 'one' ? personal : {}) },
        trace,
      );
    }
    await send(service.url, { method: 'GET', path: '/leads/nobody', key: tenant.key });
    await send(service.url, { method: 'GET', path: '/events?wait=1', key: tenant.key });
    await send(service.url, { method: 'GET', path: `/nothing/${personal.email}`, key: tenant.key });
    await send(service.url, { method: 'GET', path: '/leads/one', key: 'a wrong key' });
    const unitId = await addUnit(db, tenant.organizationId);
    const reservationId = await addReservation(db, tenant.organizationId, unitId);
    await fetch(`${service.url}/${basePath}/reservations/webhook?api-key=${tenant.key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reservationId: reservationId.toHexString() }),
    });
    // The events of the two leads, one of which has a client.
    await Promise.all([good.receivedRequests(3), bad.receivedRequests(3)]);
    await eventually(async () => {
      const { type, text: read } = await metrics();
      expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
      text = read;
      lines = metricLines(text);
      types = metricTypes(text);
      expect(value('outbox_waiting_events')).toBe(0);
      expect(value('http_request_duration_seconds_count')).toBe(7);
      expect(value('long_poll_duration_seconds_count')).toBe(1);
    });
  });

  it('count requests and their time by method, route pattern and status', () => {
    const count = (method: string, route: string, status: string) =>
      value('http_request_duration_seconds_count', { method, route, status });
    const leads = `/${basePath}/leads`;
    expect(count('POST', leads, '201')).toBe(2);
    expect(count('POST', leads, '200')).toBe(1);
    expect(count('GET', `${leads}/:recordSystemId`, '404')).toBe(1);
    expect(count('GET', `${leads}/:recordSystemId`, '401')).toBe(1);
    expect(count('GET', 'unknown', '404')).toBe(1);
    expect(value('http_request_duration_seconds_bucket', { route: leads, le: '+Inf' })).toBe(3);
    expect(value('http_request_duration_seconds_sum', { route: leads })).toBeGreaterThan(0);
    expect(value('http_requests_aborted_total')).toBe(0);
  });

  it('count the calls of each key by its id, with the last call time', async () => {
    const key = await db.collection('apiKeys').findOne({ organizationId: tenant.organizationId });
    const labels = {
      key: key?._id.toHexString() ?? '',
      organization: tenant.organizationId.toHexString(),
    };
    // The request for an unknown path counts where the key is still cached.
    expect([6, 7]).toContain(value('key_calls_total', labels));
    const last = value('key_last_call_timestamp_seconds', labels) ?? 0;
    expect(Math.abs(Date.now() / 1_000 - last)).toBeLessThan(60);
  });

  it('count transactions, their attempts, and the groups of leads', () => {
    expect(value('transactions_total')).toBeGreaterThanOrEqual(4);
    expect(value('transaction_attempts_total')).toBeGreaterThanOrEqual(4);
    expect(value('transaction_conflicts_total')).toBeGreaterThanOrEqual(0);
    expect(value('lead_group_size_count')).toBe(3);
    expect(value('lead_group_size_bucket', { le: '1' })).toBe(3);
    expect(value('lead_group_size_sum')).toBe(3);
  });

  it('count deliveries and failures by endpoint', async () => {
    const [delivering, failing] = endpoints;
    await eventually(async () => {
      const all = metricLines((await metrics()).text);
      const attempts = (endpoint = '', result = '') =>
        valueOf(all, 'integration_api_delivery_attempts_total', { endpoint, result });
      expect(attempts(delivering?._id, 'delivered')).toBe(3);
      expect(attempts(failing?._id, 'failed')).toBeGreaterThanOrEqual(3);
    });
  });

  it('show the backlog and the use of the connection pool', () => {
    expect(value('outbox_lag_seconds')).toBe(0);
    expect(value('delivery_lag_seconds')).toBeGreaterThanOrEqual(0);
    expect(value('deliveries_due')).toBeGreaterThanOrEqual(0);
    expect(value('database_connections', { state: 'in use' })).toBeGreaterThanOrEqual(0);
    expect(value('database_connections')).toBeGreaterThan(0);
    expect(value('database_connection_waiting')).toBe(0);
    expect(types.get('nodejs_eventloop_lag_seconds')).toBe('gauge');
    expect(types.get('process_resident_memory_bytes')).toBe('gauge');
  });

  it('contain no key, secret or personal data', () => {
    for (const word of [tenant.key, endpoints[0]?.secret ?? '', ...Object.values(personal)]) {
      expect(text).not.toContain(word);
    }
  });

  describe('queries of metrics', () => {
    const labels = new Map<string, Set<string>>();
    beforeAll(() => {
      for (const { name, labels: named } of lines) {
        labels.set(name, new Set([...(labels.get(name) ?? []), ...Object.keys(named)]));
      }
    });

    it('use existing metrics only in the alert rules and the dashboard', () => {
      const queries = [...alertRules().map(({ expr }) => expr), ...dashboardQueries()];
      expect(queries.flatMap((query) => problemsOf(query, labels))).toEqual([]);
      expect(queries.length).toBeGreaterThan(20);
    });

    it('are reported when a metric or label is unknown', () => {
      const query = 'sum by (rout) (rate(integration_api_key_calls_total{kye="1"}[5m])) > nope';
      expect(problemsOf(query, labels)).toEqual([
        'integration_api_key_calls_total has no label kye',
        'nope is no metric',
        'no metric has the label rout',
      ]);
      expect(problemsOf('sum(', labels)).toEqual(['no PromQL: sum(']);
    });
  });
});

describe('the traces', () => {
  it('continue the trace of the caller from the request to database commands', async () => {
    await eventually(() => {
      const spans = receivedSpans(collector).filter((span) => span.traceId === traceId);
      const requests = spans.filter(({ name }) => name === `POST /${basePath}/leads`);
      expect(requests).toHaveLength(3);
      const [request] = requests;
      expect(request?.parentId).toBe('00f067aa0ba902b7');
      expect(request?.attributes).toMatchObject({
        'http.route': `/${basePath}/leads`,
        'http.response.status_code': 201,
        'organization.id': tenant.organizationId.toHexString(),
        'request.id': expect.any(String),
      });
      const transaction = spans.find(
        ({ name, parentId }) => name === 'transaction' && parentId === request?.spanId,
      );
      const commands = spans.filter(({ parentId }) => parentId === transaction?.spanId);
      const names = commands.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['insert changeLogs', 'commitTransaction']));
    });
  });

  it('include webhook attempts by endpoint', async () => {
    await eventually(() => {
      const attempt = receivedSpans(collector).find(({ name }) => name === 'webhook attempt');
      expect(attempt?.attributes).toMatchObject({ 'webhook.endpoint_id': expect.any(String) });
    });
  });

  it('contain no key, path or personal data', () => {
    const text = collector.received.map(({ body }) => body).join('');
    expect(text).toContain('integration-api');
    for (const word of [tenant.key, '/nothing/', good.url, ...Object.values(personal)]) {
      expect(text).not.toContain(word);
    }
  });
});

describe('a service whose database does not respond', () => {
  beforeAll(() => proxy.pause());
  afterAll(() => proxy.resume());

  it('returns all metrics except those of the database', async () => {
    const lines = metricLines((await metrics()).text);
    expect(valueOf(lines, 'integration_api_transactions_total')).toBeGreaterThanOrEqual(4);
    expect(valueOf(lines, 'integration_api_outbox_lag_seconds')).toBeUndefined();
    // The same again: what hangs is not asked a second time.
    expect(metricLines((await metrics()).text).length).toBeGreaterThan(0);
  });

  it('is alive but not ready', async () => {
    expect(await probe('/readyz')).toMatchObject({
      status: 503,
      body: { ready: false, hasPrimary: false },
    });
    expect((await probe('/livez')).status).toBe(200);
  });
});

it('a worker serves metrics and probes', async () => {
  const { logger, environment } = workerOptions({ ...production, ROLE: 'worker' });
  const worker = await createService({ environment, databaseUri: MONGODB_URI, logger });
  try {
    const from = (await startOperations(worker)) ?? '';
    startBackground(worker);
    expect(await probe('/readyz', from)).toMatchObject({ status: 200, body: { phase: 'running' } });
    const { text } = await metrics(from);
    expect(valueOf(metricLines(text), 'integration_api_outbox_waiting_events')).toBeDefined();
  } finally {
    await worker.shutDown();
  }
});

it('a start fails and names the variable when the address is in use', async () => {
  const { port } = new URL(operations);
  const { environment, logger } = workerOptions({ OPS_PORT: port });
  await expect(runService(environment, logger)).rejects.toThrow(
    `127.0.0.1:${port} is in use, perhaps by an earlier start: stop that, or set OPS_PORT to a`,
  );
});

it('a shutdown logs that it drains, as JSON without secrets', async () => {
  service.process.kill('SIGTERM');
  await eventually(async () => {
    expect(await probe('/readyz')).toMatchObject({ status: 503, body: { phase: 'draining' } });
  });
  expect((await probe('/livez')).status).toBe(200);
  expect(await service.exited).toBe(0);
  const printed = service.stdout().trimEnd().split('\n');
  const logged = printed.map((line) => JSON.parse(line) as Document);
  expect(logged.filter(({ msg }) => msg === 'request completed').length).toBeGreaterThanOrEqual(7);
  for (const word of [tenant.key, 'a wrong key', ...Object.values(personal)]) {
    expect(service.output()).not.toContain(word);
  }
});
