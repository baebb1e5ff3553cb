import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { getConnectionToken } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Connection } from 'mongoose';
import { type ChartRange, chartRanges } from '../../src/operator/usage/chart-ranges.js';
import { metricLines, valueIn } from '../operations/metrics-text.js';
import { addKey } from '../support/builders.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { startOpsListener } from '../../src/start.js';
import { dayMs, operatorOf, startRecording, store } from './usage-service.js';

const databaseUri = randomDatabaseUri();
const prefix = '/external/apis/v1.0';

let service: TestService;
let second: TestService;
let tenant: TenantApi;
beforeAll(async () => {
  service = await startRecording(databaseUri, { OPS_PORT: '0' });
  second = await startRecording(databaseUri, { OPS_PORT: '0' });
  tenant = await service.addTenant();
});
afterAll(async () => {
  await second.stop();
  await service.stop();
});

const get = (from: TestService, path: string, key = tenant.key) =>
  from.api('get', path).set('api-key', key);
const sum = (rows: readonly { readonly calls: number }[]) =>
  rows.reduce((calls, row) => calls + row.calls, 0);
const dayAgo = () => operatorOf(service).usage.startOf('day');
const newKey = async () => {
  const _id = new ObjectId();
  return { _id, key: await tenant.add(addKey, { _id }) };
};

describe('the usage statistics', () => {
  it('equal the metrics of all processes together', async () => {
    for (const from of [service, second]) {
      await get(from, '/compounds').expect(200);
      await get(from, '/leads/unknown').expect(404);
      await from.api('get', '/compounds').expect(401);
    }
    await store(service, second);
    const { usage } = operatorOf(second);
    const texts = await Promise.all([service, second].map((one) => operatorOf(one).metrics.text()));
    const counted = texts
      .flatMap(metricLines)
      .filter(({ name }) => name === 'integration_api_http_request_duration_seconds_count');
    const total = (rows: typeof counted) => rows.reduce((all, { value }) => all + value, 0);
    const routes = await usage.routes(dayAgo());
    for (const { route, calls, refused } of routes) {
      const rows = counted.filter(
        ({ labels }) => `${labels['method']} ${labels['route']}` === route,
      );
      const isRefused = ({ labels }: (typeof rows)[number]) => Number(labels['status']) >= 400;
      expect({ route, calls, refused }).toEqual({
        route,
        calls: total(rows),
        refused: total(rows.filter(isRefused)),
      });
    }
    const keys = await usage.keys(dayAgo());
    expect(keys).toMatchObject([
      { keyId: expect.any(String), calls: 4, refused: 2, failed: 0 },
      { keyId: null, calls: 2, refused: 2, failed: 0 },
    ]);
    const ranges = Object.keys(chartRanges) as ChartRange[];
    const series = await Promise.all(ranges.map((range) => usage.series(range)));
    expect(series.map((points) => [points.length, sum(points)])).toEqual([
      [96, 6],
      [168, 6],
      [28, 6],
    ]);
    expect(series[0]?.find(({ calls }) => calls > 0)).toMatchObject({
      polls: 0,
      failed: 0,
      medianMs: expect.any(Number),
      p95Ms: expect.any(Number),
      leads: 0,
      mostlyIgnored: 0,
    });
    expect([sum(routes), total(counted)]).toEqual([6, 6]);
  });

  it('have no key in a metric', async () => {
    const lines = metricLines(await operatorOf(service).metrics.text());
    const keyId = (await operatorOf(service).usage.keys(dayAgo()))[0]?.keyId;
    expect(JSON.stringify(lines)).not.toContain(String(keyId));
  });

  it('have one document per quarter of an hour, key and route for all processes', async () => {
    const { _id, key } = await newKey();
    for (const from of [service, second, service]) {
      await get(from, '/compounds', key).expect(200);
      await get(from, '/units', key).expect(200);
      await store(from);
    }
    const stored = await service.db.collection('usage').find({ apiKeyId: _id }).toArray();
    // A new quarter may have started during the test.
    expect(stored.length === 2 || stored.length === 4).toBe(true);
    const { usage } = operatorOf(second);
    expect(await usage.routes(dayAgo(), _id)).toMatchObject([
      { route: expect.stringMatching(`GET ${prefix}/(compounds|units)`), calls: 3 },
      { route: expect.stringMatching(`GET ${prefix}/(compounds|units)`), calls: 3 },
    ]);
    expect(sum(await usage.series('week', { keyId: _id }))).toBe(6);
  });

  it('count the same documents at the same time in two processes', async () => {
    const { _id, key } = await newKey();
    for (let round = 0; round < 5; round++) {
      await Promise.all([service, second].map((from) => get(from, '/compounds', key).expect(200)));
      await Promise.all([store(service), store(second)]);
    }
    expect(sum(await operatorOf(service).usage.series('day', { keyId: _id }))).toBe(10);
  });

  it('count each error code, notice and accepted request with ignored fields of a key', async () => {
    const { _id, key } = await newKey();
    const { post } = tenant.with(key);
    await post('/leads', { name: 'Mona', project: 'Unknown', fullName: 'Mona' }).expect(201);
    await post('/leads', { email: 'nobody' }).expect(400);
    await post('/leads', { email: 'nobody' }).expect(400);
    await store(service);
    const codes = await operatorOf(second).usage.codes(_id, dayAgo());
    expect(Object.fromEntries(codes)).toEqual({
      'validation.failed': 2,
      'lead.project_unmatched': 1,
      'fields.ignored': 1,
    });
    expect((await operatorOf(second).usage.series('day', { keyId: _id })).at(-1)).toMatchObject({
      leads: 1,
    });
  });

  it.each([['abc'], [0], [{}], [[]], [[null, 7]]])(
    'count a lead with an unknown field `leads`, whatever it is: %j',
    async (leads) => {
      const { _id, key } = await newKey();
      const { post } = tenant.with(key);
      await post('/leads', { name: 'Mona', leads }).expect(201);
      // The listener of the response must not end the process.
      await post('/leads', { name: 'Mona' }).expect(201);
      await store(service);
      const [, last] = (await operatorOf(service).usage.series('day', { keyId: _id })).slice(-2);
      expect(last).toMatchObject({ calls: 2, leads: 2, mostlyIgnored: 1 });
    },
  );

  it('expire after USAGE_RETENTION_DAYS', async () => {
    expect(await service.db.collection('usage').indexes()).toContainEqual(
      expect.objectContaining({ key: { at: 1 }, expireAfterSeconds: (35 * dayMs) / 1_000 }),
    );
  });

  it('use one command per question', async () => {
    const commands: string[] = [];
    const client = service.service.app.get<Connection>(getConnectionToken()).getClient();
    const listen = ({ commandName }: { readonly commandName: string }) =>
      void commands.push(commandName);
    const counts = Array.from({ length: 150 }, (_, index) => ({
      at: new Date(Date.now() - index * 3_600_000),
      apiKeyId: new ObjectId(),
      route: `GET /${index}`,
      calls: 1,
    }));
    await service.db.collection('usage').insertMany(counts);
    client.on('commandStarted', listen);
    const { usage } = operatorOf(service);
    const week = usage.startOf('week');
    expect(await usage.series('week')).toHaveLength(168);
    expect((await usage.keys(week)).length).toBeGreaterThan(150);
    expect((await usage.routes(week)).length).toBeGreaterThan(150);
    client.off('commandStarted', listen);
    await service.db.collection('usage').deleteMany({ route: /^GET .\d/ });
    expect(commands).toEqual(['aggregate', 'aggregate', 'aggregate']);
  });
});

describe('a process without OPS_PORT', () => {
  it('stores its counts at shutdown', async () => {
    const { _id, key } = await newKey();
    const plain = await startTestService({}, databaseUri);
    await startOpsListener(plain.service);
    await get(plain, '/compounds', key).expect(200);
    await plain.stop();
    expect(sum(await operatorOf(service).usage.series('day', { keyId: _id }))).toBe(1);
  });
});

describe('usage statistics without a database', () => {
  const setFailPoint = (mode: string) => {
    const namespace = `${service.db.databaseName}.usage`;
    const data = { failCommands: ['update'], namespace, errorCode: 8 };
    return service.db.admin().command({ configureFailPoint: 'failCommand', mode, data });
  };
  afterEach(() => setFailPoint('off'));

  it('keep calls in memory and count them once afterwards', async () => {
    const { _id, key } = await newKey();
    const { recorder, metrics, usage } = operatorOf(service);
    await recorder.store();
    await setFailPoint('alwaysOn');
    for (let time = 0; time < 3; time++) {
      await get(service, '/compounds', key).expect(200);
      await expect(recorder.store()).rejects.toThrow('failCommand');
    }
    expect(sum(await usage.series('day', { keyId: _id }))).toBe(0);
    expect(await valueIn(metrics, 'usage_lost_calls_total')).toBe(0);
    await setFailPoint('off');
    await recorder.store();
    await recorder.store();
    expect(sum(await usage.series('day', { keyId: _id }))).toBe(3);
  });
});
