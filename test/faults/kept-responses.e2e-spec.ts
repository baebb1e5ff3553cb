import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MongoClient, type ObjectId } from 'mongodb';
import { KeptResponsesService } from '../../src/catalogue/responses/kept-responses.service.js';
import { startMongod } from '../../src/development/embedded/embedded-mongod.js';
import { addCompound, addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { addUnit } from '../units/catalogue.js';
import { rawGet } from '../responses/raw-get.js';

const testCommands = ['--setParameter', 'enableTestCommands=1'];

/** What is promised of what other programs and other instances write (rule DATA-6). */
const maxAgeMs = 1_000;

let mongod: Awaited<ReturnType<typeof startMongod>>;
let admin: MongoClient;
let services: TestService[];
let tenant: Tenant;
let unitId: ObjectId;

beforeAll(async () => {
  // A server of its own: fail points and stops must not reach the other test files.
  const folder = await mkdtemp(join(tmpdir(), 'integration-api-kept-'));
  mongod = await startMongod(folder, { args: testCommands });
  admin = await new MongoClient(mongod.uri).connect();
  const uri = mongod.uri.replace('/?', '/kept?');
  // What a busy machine needs for a write, and a test can wait for while there is no database.
  const variables = { DATABASE_DEADLINE_MS: '8000' };
  services = [await startTestService(variables, uri), await startTestService(variables, uri)];
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await admin.close();
  await mongod.stop();
  await rm(mongod.folder, { recursive: true, force: true });
});
beforeEach(async () => {
  tenant = await addTenant(at(0).db);
  const { organizationId } = tenant;
  const compoundId = await addCompound(
    at(0).db,
    organizationId,
    { 'en-us': 'Lake' },
    { slug: 'lake' },
  );
  const unit = { slug: 'lake-1', recordSystemId: 'lake-1', price: 0 };
  unitId = await addUnit(at(0).db, organizationId, { compoundId }, unit);
});
afterEach(() => release());

const at = (instance: number) => services[instance] as TestService;
const readings = (instance = 0) => at(instance).service.app.get(KeptResponsesService).stats();
/** Lets the streams of changes wait longer for each answer. */
const hold = (blockTimeMS: number) =>
  admin.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: 'alwaysOn',
    data: {
      failCommands: ['getMore'],
      appName: 'integration-api',
      blockConnection: true,
      blockTimeMS,
    },
  });
const release = () => admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
const paths = ['/units/lake-1', '/units', '/compounds/lake/units', '/units?compound=lake'];
const read = (path = '/units', instance = 0, headers = {}) =>
  rawGet(at(instance).url, path, { 'api-key': tenant.key, ...headers });
/** The unit's price in a response. */
const shownIn = ({ body }: { body: Buffer }) => Number(/"price":(\d+)/.exec(body.toString())?.[1]);
const store = (price: number) =>
  at(0).db.collection('units').updateOne({ _id: unitId }, { $set: { price } });
const post = (price: number, instance = 0) =>
  at(instance)
    .api('post', '/units')
    .set('api-key', tenant.key)
    .send({ recordSystemId: 'lake-1', price })
    .expect(200);

async function readRepeated(): Promise<void> {
  const { hits } = readings();
  await eventually(async () => {
    expect((await read()).status).toBe(200);
    expect(readings().hits).toBeGreaterThan(hits);
  });
}

describe('kept responses', () => {
  it('are repeated for a second at most when no changes arrive, but never those before an own write', async () => {
    await readRepeated();
    await hold(1_700);
    await post(1);
    expect(shownIn(await read())).toBe(1);
    await store(2);
    const storedAt = performance.now();
    while (performance.now() - storedAt < maxAgeMs) await read();
    const { hits } = readings();
    expect(shownIn(await read())).toBe(2);
    expect(readings().hits).toBe(hits);
    await release();
    await readRepeated();
  });

  it('give what is in the database to who asks for it, whatever of another program arrives late', async () => {
    const { organizationId } = tenant;
    await readRepeated();
    await hold(1_700);
    for (const name of ['First', 'Second']) {
      const organizations = at(0).db.collection('organizations');
      await organizations.updateOne({ _id: organizationId }, { $set: { name } });
      const { body } = await read('/compounds', 0, { 'cache-control': 'no-cache' });
      expect(body.toString()).toContain(`"${name}"`);
    }
  });

  it('are made anew when another server, or the same one anew, becomes primary', async () => {
    await readRepeated();
    const { misses } = readings();
    await admin.db('admin').command({ replSetStepDown: 1, force: true });
    // The stream itself lives on.
    await eventually(async () => {
      await read();
      expect(readings().misses).toBeGreaterThan(misses);
    });
    await readRepeated();
    await eventually(() => store(3));
    await eventually(async () => expect(shownIn(await read())).toBe(3), 5_000);
  });

  it('are not repeated while the database is gone, and are again when it is back', async () => {
    await readRepeated();
    await mongod.stop();
    await eventually(async () => expect((await read()).status).toBe(503));
    mongod = await startMongod(mongod.folder, { port: mongod.port, args: testCommands });
    await eventually(() => store(4));
    await eventually(async () => expect((await read()).status).toBe(200));
    expect(shownIn(await read())).toBe(4);
    await readRepeated();
  });
});

/** What happens next, and through which instance; `direct` is another program. */
type Step =
  | { readonly kind: 'read'; readonly instance: number; readonly path: number }
  | { readonly kind: 'write'; readonly instance: number }
  | { readonly kind: 'direct' }
  | { readonly kind: 'flood'; readonly count: number }
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
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('direct' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('flood' as const), count: fc.nat({ max: 1_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pause' as const),
      milliseconds: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 500 })),
    }),
  },
);

describe('whatever is written and read through two instances', () => {
  it.each([0, 400, 1_500])(
    'no response is older than a second or than an own write (changes arrive %i ms late)',
    async (lateness) => {
      if (lateness > 0) await hold(lateness);
      const others = await addTenant(at(0).db);
      await at(0)
        .db.collection('units')
        .insertMany(
          Array.from({ length: 100 }, (_, number) => ({
            organizationId: others.organizationId,
            slug: `other-${number}`,
            name: { 'en-us': 'Other' },
            isDeleted: false,
            createdAt: new Date(),
            updatedAt: new Date(),
          })),
        );
      let price = 10;
      /** What was written, when it was certain, and through which instance. */
      const written: { price: number; at: number; instance: number | null }[] = [];
      const note = (by: number | null) =>
        written.push({ price, at: performance.now(), instance: by });
      const take = async (next: Step) => {
        if (next.kind === 'pause') return delay(next.milliseconds);
        if (next.kind === 'flood') {
          const updates = Array.from({ length: next.count }, (_, number) => ({
            updateOne: {
              filter: { organizationId: others.organizationId, slug: `other-${number % 100}` },
              update: { $inc: { price: 1 } },
            },
          }));
          if (updates.length > 0) await at(0).db.collection('units').bulkWrite(updates);
          return;
        }
        if (next.kind === 'read') {
          const askedAt = performance.now();
          const shown = shownIn(await read(paths[next.path], next.instance));
          const known = written.filter(
            (one) => one.instance === next.instance || one.at < askedAt - maxAgeMs,
          );
          expect(shown).toBeGreaterThanOrEqual(Math.max(0, ...known.map((one) => one.price)));
          expect(shown).toBeLessThanOrEqual(price);
          return;
        }
        price += 1;
        if (next.kind === 'direct') await store(price);
        else await post(price, next.instance);
        note(next.kind === 'direct' ? null : next.instance);
      };
      const histories = fc.array(step, { minLength: 5, maxLength: 25 });
      await fc.assert(
        fc.asyncProperty(histories, async (steps) => {
          for (const next of steps) await take(next);
        }),
        { numRuns: lateness === 0 ? 8 : 4, endOnFailure: true },
      );
    },
  );
});
