import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectId } from 'mongodb';
import { Metrics } from '../../src/core/observability/metrics.js';
import { rawGet } from '../cache/raw-get.js';
import { cacheMetrics } from '../operations/metrics-text.js';
import { addTenant, addUnit, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { TestService } from '../support/test-service.js';
import { useFaultDatabase } from './support/fault-database.js';

const database = useFaultDatabase();
let service: TestService;
let tenant: Tenant;
let unitId: ObjectId;

beforeAll(async () => {
  // Enough for a write on a busy machine, and short enough to wait for without a database.
  const variables = { DATABASE_DEADLINE_MS: '8000', RESPONSE_CACHE_BYTES: '67108864' };
  service = await database.startService(variables);
  tenant = await addTenant(database.db);
  unitId = await addUnit(database.db, tenant.organizationId, { price: 0 });
});

const readings = () => cacheMetrics(service.service.app.get(Metrics), 'response');
const read = () => rawGet(service.url, '/units', { 'api-key': tenant.key });
const shownPrice = async () => Number(/"price":(\d+)/.exec((await read()).body.toString())?.[1]);
const store = (price: number) =>
  database.db.collection('units').updateOne({ _id: unitId }, { $set: { price } });

async function readRepeated(): Promise<void> {
  const { hits } = await readings();
  await eventually(async () => {
    expect((await read()).status).toBe(200);
    expect((await readings()).hits).toBeGreaterThan(hits);
  });
}

describe('cached responses', () => {
  it('are used again after any server becomes primary', async () => {
    await readRepeated();
    await database.server.command({ replSetStepDown: 1, force: true });
    await readRepeated();
    await eventually(() => store(3));
    await eventually(async () => expect(await shownPrice()).toBe(3), 5_000);
  });

  it('are used only while the database is available', async () => {
    await readRepeated();
    await database.server.kill();
    await eventually(async () => expect((await read()).status).toBe(503));
    await database.server.restart();
    await eventually(() => store(4));
    await eventually(async () => expect((await read()).status).toBe(200));
    expect(await shownPrice()).toBe(4);
    await readRepeated();
  });
});
