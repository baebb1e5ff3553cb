import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { Metrics } from '../../src/core/observability/metrics.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { UsageStatsService } from '../../src/operator/usage/usage-stats.service.js';
import { startOpsListener } from '../../src/start.js';
import { startConsole, type TestConsole } from '../console/console-client.js';
import { addKeyWeeks } from '../console/sample-usage.js';
import { metricLines, valueIn } from '../operations/metrics-text.js';
import { addKey } from '../support/builders.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const databaseUri = randomDatabaseUri();

let service: TestConsole;
let second: TestConsole;
let tenant: TenantApi;
beforeAll(async () => {
  service = await startConsole({}, databaseUri);
  second = await startConsole({}, databaseUri);
  tenant = await service.addTenant();
});
afterAll(async () => {
  await second.stop();
  await service.stop();
});

const stored = () => service.db.collection('usageStats');
const usageOf = ({ service: { app } }: TestService) => ({
  metrics: app.get(Metrics),
  recorder: app.get(UsageRecorder),
  stats: app.get(UsageStatsService),
});
const get = (from: TestService, path: string, key = tenant.key) =>
  from.api('get', path).set('api-key', key);
const countAllCalls = async () => {
  const { stats } = usageOf(service);
  const { total, keys, routes } = await stats.lastDay();
  const sum = (rows: readonly { readonly calls: number }[]) =>
    rows.reduce((calls, row) => calls + row.calls, 0);
  const steps = (['quarter', 'hour', 'day', 'week'] as const).map((step) => stats.series(step));
  const series = (await Promise.all(steps)).map(sum);
  expect([sum(keys), sum(routes), ...series]).toEqual(Array(6).fill(total.calls));
  return total.calls;
};

describe('the usage statistics', () => {
  it('equal the metrics of all processes together', async () => {
    for (const from of [service, second]) {
      await get(from, '/compounds').expect(200);
      await get(from, '/leads/unknown').expect(404);
      await from.api('get', '/compounds').expect(401);
    }
    await Promise.all([service, second].map((one) => usageOf(one).recorder.store()));
    const day = await usageOf(second).stats.lastDay();
    const texts = await Promise.all([service, second].map((one) => usageOf(one).metrics.text()));
    const lines = texts.flatMap(metricLines);
    const linesOf = (metric: string) =>
      lines.filter(({ name }) => name === `integration_api_${metric}`);
    const counted = linesOf('http_request_duration_seconds_count');
    const sum = (rows: typeof lines) => rows.reduce((total, { value }) => total + value, 0);
    expect(day.total).toMatchObject({ calls: 6, errors: 4, failures: 0 });
    expect(day.total.calls).toBe(sum(counted));
    for (const { route, calls, errors } of day.routes) {
      const rows = counted.filter(
        ({ labels }) => `${labels['method']} ${labels['route']}` === route,
      );
      expect({ route, calls, errors }).toEqual({
        route,
        calls: sum(rows),
        errors: sum(rows.filter(({ labels }) => Number(labels['status']) >= 400)),
      });
    }
    const keys = new Map(day.keys.map(({ keyId, calls }) => [keyId, calls]));
    expect([...keys.values()].toSorted()).toEqual([2, 4]);
    const keyCalls = [[...keys.keys()].find((id) => id !== null), 2];
    const keyLines = linesOf('key_calls_total').map(({ labels, value }) => [labels['key'], value]);
    expect(keyLines).toEqual([keyCalls, keyCalls]);
    expect(await countAllCalls()).toBe(6);
  });

  it('have one document per quarter of an hour for all processes', async () => {
    for (const from of [service, second, service]) {
      await get(from, '/compounds').expect(200);
      await usageOf(from).recorder.store();
    }
    // A new quarter may have started during the test.
    expect(await stored().countDocuments({ span: 'quarter' })).toBeLessThanOrEqual(2);
    const { routes } = await usageOf(second).stats.lastDay();
    const compoundCalls = routes.find(({ route }) => route === 'GET /external/apis/v1.0/compounds');
    expect(compoundCalls).toMatchObject({ calls: 7, errors: 2 });
  });

  it('are stored with the time at which they expire', async () => {
    const counts = await stored().find().toArray();
    const kept = counts.map(({ span, at, expiresAt }) => `${span} ${(expiresAt - at) / dayMs}`);
    expect([...new Set(kept)].toSorted()).toEqual([
      'day 400',
      'hour 400',
      'quarter 400',
      'week 36',
    ]);
    expect(await stored().indexes()).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
  });

  it('store the used operations of each key, but no rejected ones', async () => {
    const permissions = { allowExternal: true, operations: ['leads.read', 'catalogue.read'] };
    const _id = new ObjectId();
    const key = await tenant.add(addKey, { _id, permissions });
    for (const from of [service, second]) {
      await get(from, '/compounds', key).expect(200);
      await get(from, '/leads/unknown', key).expect(404);
      await get(from, '/events?after=0', key).expect(403);
    }
    await get(service, '/units', key).expect(200);
    await Promise.all([service, second].map((one) => usageOf(one).recorder.store()));
    const keyId = String(_id);
    const used = { 'leads.read': 2, 'catalogue.read': 3 };
    expect((await usageOf(second).stats.baselines()).get(keyId)?.used).toEqual(used);
    expect((await service.get(`/partners/${keyId}`)).html).toContain('catalogue.read 3');
  });
});

describe('a process without OPS_PASSWORD', () => {
  it('counts its calls, so the partner is not reported as silent', async () => {
    const keyId = new ObjectId();
    const key = await tenant.add(addKey, { _id: keyId });
    const calls = (hour: Date) => (hour.getTime() < Date.now() - 30 * hourMs ? 40 : 0);
    await addKeyWeeks(service.db, [{ keyId, calls }]);
    const page = () => service.get(`/partners/${keyId.toHexString()}`);
    expect((await page()).html).toContain('<span class="bad">silent</span>');

    const plain = await startTestService({}, databaseUri);
    await startOpsListener(plain.service);
    await get(plain, '/compounds', key).expect(200);
    // A process stores its counts at shutdown at the latest.
    await plain.stop();
    expect((await page()).html).not.toContain('<span class="bad">silent</span>');
    const { keys } = await usageOf(service).stats.lastDay();
    expect(keys.map((one) => one.keyId)).toContain(keyId.toHexString());
  });
});

describe('usage statistics without a database', () => {
  const setFailPoint = (mode: string) => {
    const namespace = `${service.db.databaseName}.usageStats`;
    const data = { failCommands: ['update'], namespace, errorCode: 8 };
    return service.db.admin().command({ configureFailPoint: 'failCommand', mode, data });
  };
  afterEach(() => setFailPoint('off'));

  it('keep calls in memory and count them once afterwards', async () => {
    const { recorder, metrics } = usageOf(service);
    await recorder.store();
    const before = await countAllCalls();
    await setFailPoint('alwaysOn');
    for (let time = 0; time < 3; time++) {
      await get(service, '/compounds').expect(200);
      await expect(recorder.store()).rejects.toThrow('failCommand');
    }
    expect(await countAllCalls()).toBe(before);
    expect(await valueIn(metrics, 'usage_lost_calls_total')).toBe(0);
    await setFailPoint('off');
    await recorder.store();
    await recorder.store();
    expect(await countAllCalls()).toBe(before + 3);
  });
});
