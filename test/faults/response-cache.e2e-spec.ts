import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ObjectId } from 'mongodb';
import { addCatalogue, addCompound, addTenant, type Tenant } from '../support/builders.js';
import { cacheMetrics } from '../operations/metrics-text.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import type { TestService } from '../support/test-service.js';
import { addUnit } from '../units/catalogue.js';
import { useFaultDatabase } from './support/fault-database.js';
import { rawGet } from '../cache/raw-get.js';

/** Maximum age of changes by other programs and instances (rule DATA-6). */
const maxAgeMs = 1_000;

const database = useFaultDatabase();
let services: TestService[];
let tenant: Tenant;
let unitId: ObjectId;
let phaseId: ObjectId;

beforeAll(async () => {
  // Enough for a write on a busy machine, and short enough to wait for without a database.
  const variables = { DATABASE_DEADLINE_MS: '8000', RESPONSE_CACHE_BYTES: '67108864' };
  services = [await database.startService(variables), await database.startService(variables)];
});
beforeEach(async () => {
  const { db } = database;
  tenant = await addTenant(db);
  const { organizationId } = tenant;
  const name = { 'en-us': 'Lake' };
  const compoundId = await addCompound(db, organizationId, name, { slug: 'lake' });
  const phase = { slug: 'first', name: { 'en-us': 'Phase 0' } };
  phaseId = await addCatalogue(db, 'phases', organizationId, phase);
  const fields = { slug: 'lake-1', recordSystemId: 'lake-1', price: 0, locationId: phaseId };
  unitId = await addUnit(db, organizationId, { compoundId }, fields);
});

const at = (instance: number) => services[instance] as TestService;
const readings = (instance = 0) => cacheMetrics(at(instance).service.app.get(Metrics), 'response');
const paths = ['/units/lake-1', '/units', '/compounds/lake/units', '/units?compound=lake'];
const read = (path = '/units', instance = 0, headers = {}) =>
  rawGet(at(instance).url, path, { 'api-key': tenant.key, ...headers });
/** The unit's price in a response. */
const shownIn = ({ body }: { body: Buffer }) => Number(/"price":(\d+)/.exec(body.toString())?.[1]);
const phaseIn = ({ body }: { body: Buffer }) => Number(/"Phase (\d+)"/.exec(body.toString())?.[1]);
const store = (price: number) =>
  database.db.collection('units').updateOne({ _id: unitId }, { $set: { price } });
const post = (price: number, instance = 0) =>
  at(instance)
    .api('post', '/units')
    .set('api-key', tenant.key)
    .send({ recordSystemId: 'lake-1', price })
    .expect(200);

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
    await eventually(async () => expect(shownIn(await read())).toBe(3), 5_000);
  });

  it('are used only while the database is available', async () => {
    await readRepeated();
    await database.server.kill();
    await eventually(async () => expect((await read()).status).toBe(503));
    await database.server.restart();
    await eventually(() => store(4));
    await eventually(async () => expect((await read()).status).toBe(200));
    expect(shownIn(await read())).toBe(4);
    await readRepeated();
  });
});

/** The next step and its instance; `direct` and `rename` are another program. */
type Step =
  | { readonly kind: 'read'; readonly instance: number; readonly path: number }
  | { readonly kind: 'write'; readonly instance: number }
  | { readonly kind: 'direct' }
  | { readonly kind: 'rename' }
  | { readonly kind: 'pause'; readonly milliseconds: number };

const instance = fc.nat({ max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      instance,
      path: fc.nat({ max: paths.length - 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), instance }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('direct', 'rename') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pause' as const),
      milliseconds: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 600 })),
    }),
  },
);

describe('random writes and reads through two instances', () => {
  it('return no response or part older than one second or than an own write', async () => {
    const phases = database.db.collection('phases');
    let [price, phase] = [10, 0];
    /** A write, when it was acknowledged, and by which instance. */
    const written: { of: string; value: number; at: number; instance: number | null }[] = [];
    const note = (of: string, value: number, by: number | null) =>
      written.push({ of, value, at: performance.now(), instance: by });
    const take = async (next: Step): Promise<unknown> => {
      if (next.kind === 'pause') return delay(next.milliseconds);
      if (next.kind === 'rename') {
        phase += 1;
        await phases.updateOne({ _id: phaseId }, { $set: { name: { 'en-us': `Phase ${phase}` } } });
        return note('phase', phase, null);
      }
      if (next.kind === 'read') {
        const askedAt = performance.now();
        const response = await read(paths[next.path], next.instance);
        const shown = { price: shownIn(response), phase: phaseIn(response) };
        for (const [of, value] of Object.entries(shown)) {
          const known = written.filter(
            (one) =>
              one.of === of && (one.instance === next.instance || one.at < askedAt - maxAgeMs),
          );
          expect(value).toBeGreaterThanOrEqual(Math.max(0, ...known.map((one) => one.value)));
        }
        return undefined;
      }
      price += 1;
      const by = next.kind === 'write' ? next.instance : null;
      await (by === null ? store(price) : post(price, by));
      return note('price', price, by);
    };
    const histories = fc.array(step, { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        for (const next of steps) await take(next);
      }),
      { numRuns: rounds(8, 60), endOnFailure: true },
    );
  });
});
