import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import { Clock } from '../../src/core/configuration/clock.js';
import { apiClient } from '../support/api-client.js';
import { addKey } from '../support/builders.js';
import { range } from '../support/counting.js';
import { rounds } from '../support/rounds.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { Poller } from './poller.js';

/** The longest time in seconds between a writer's clock read and its commit. */
const maxLagSeconds = 110;
const compoundCount = 3;
const unitCount = 6;

let service: TestService;
let now: number;

beforeAll(async () => {
  service = await startTestService();
  service.service.app.get(Clock).now = () => new Date(now);
});
afterAll(() => service.stop());

const flags = ['isAdminOnly', 'isPublished', 'isPublic'] as const;
const timing = {
  pause: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 400 })),
  lag: fc.nat({ max: maxLagSeconds }),
};
const index = fc.nat({ max: unitCount - 1 });
const value = fc.nat({ max: 99 });
const kindOf = <K extends string>(kind: K) => fc.constant(kind);

/** A page that the portal reads, or a write of another program. `pause` counts seconds since the previous step. */
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      ...timing,
      kind: kindOf('page'),
      list: fc.constantFrom('units' as const, 'units' as const, 'compounds' as const),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ...timing,
      kind: kindOf('flag'),
      index,
      flag: fc.constantFrom(...flags),
      // Undefined removes the flag.
      value: fc.constantFrom(true, true, false, undefined),
    }),
  },
  { weight: 3, arbitrary: fc.record({ ...timing, kind: kindOf('hide-unit'), index, value }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...timing,
      kind: fc.constantFrom('price', 'move', 'move-phase', 'rename-phase', 'rename-design'),
      index,
      value,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...timing,
      kind: fc.constantFrom('delete', 'tombstone', 'restore'),
      collection: fc.constantFrom('units', 'compounds'),
      index,
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function addDataset({ organizationId }: TenantApi) {
  const old = { createdAt: new Date(now - 1e9), updatedAt: new Date(now - 1e9) };
  const common = { organizationId, isDeleted: false, ...old, name: { 'en-us': 'A' } };
  const ids = (count: number) => range(count).map(() => new ObjectId());
  const of = (count: number, number: number) => number % count;
  const [compounds, phases, designs, units] = [ids(compoundCount), ids(3), ids(3), ids(unitCount)];
  const insert = (collection: string, list: readonly ObjectId[], fields: (n: number) => Document) =>
    service.db
      .collection(collection)
      .insertMany(
        list.map((_id, n) => ({ ...common, _id, slug: `${collection}-${n}`, ...fields(n) })),
      );
  await insert('compounds', compounds, () => ({ isPublished: true, isPublic: true }));
  await insert('phases', phases, (n) => ({ parentId: compounds[n] }));
  await insert('unitDesigns', designs, (n) => ({
    locationsIds: [compounds[n], phases[of(3, n + 1)]],
  }));
  const references = (n: number) => ({ compoundId: compounds[of(3, n)] });
  await insert('units', units, (n) => ({
    ...references(n),
    // Some have a phase of another compound.
    locationId: phases[of(3, n + Math.floor(n / 3))],
    unitDesignId: designs[of(3, n + 1)],
    price: n,
  }));
  return { compounds, phases, designs, units, references };
}

type Dataset = Awaited<ReturnType<typeof addDataset>>;

/** Writes as another program that read the clock `lag` seconds ago. */
async function write(dataset: Dataset, action: Exclude<Step, { kind: 'page' }>): Promise<void> {
  const updatedAt = new Date(now - action.lag * 1_000);
  const { compounds, phases, designs, units } = dataset;
  const set = (
    collection: string,
    ids: readonly ObjectId[],
    $set: Document,
    $unset: Document = {},
  ) =>
    service.db
      .collection(collection)
      .updateOne({ _id: ids[action.index % ids.length] } as Document, { $set, $unset });
  if (action.kind === 'flag') {
    const { flag, value: state } = action;
    const unset = state === undefined ? { [flag]: true } : {};
    const fields = { updatedAt, ...(state !== undefined && { [flag]: state }) };
    await set('compounds', compounds, fields, unset);
  } else if (action.kind === 'hide-unit') {
    await set('units', units, { isAdminOnly: action.value % 2 === 0, updatedAt });
  } else if ('collection' in action) {
    const deleted = { isDeleted: true, deletedAt: updatedAt };
    const $set = {
      delete: { ...deleted, updatedAt },
      tombstone: deleted,
      restore: { isDeleted: false, updatedAt },
    }[action.kind];
    await set(action.collection, action.collection === 'units' ? units : compounds, $set);
  } else {
    const name = { 'en-us': `New ${action.value}` };
    const [collection, ids, fields] = {
      price: ['units', units, { price: action.value }] as const,
      move: ['units', units, dataset.references(action.value)] as const,
      'move-phase': ['phases', phases, { parentId: compounds[action.value % 3] }] as const,
      'rename-phase': ['phases', phases, { name }] as const,
      'rename-design': ['unitDesigns', designs, { name }] as const,
    }[action.kind as 'price'];
    await set(collection, ids, { ...fields, updatedAt });
  }
}

/** Judges the stored documents without the code of the service. */
async function publicIds(tenant: TenantApi) {
  const compounds = await tenant.stored('compounds');
  const isVisible = (one: Document) =>
    one['isPublished'] === true && one['isPublic'] === true && one['isAdminOnly'] !== true;
  const hidden = new Set(compounds.filter((one) => !isVisible(one)).map(({ _id }) => String(_id)));
  const units = await tenant.stored('units', { isDeleted: false });
  return {
    compounds: compounds
      .filter((one) => isVisible(one) && one['isDeleted'] === false)
      .map(({ _id }) => String(_id)),
    units: units
      .filter((one) => one['isAdminOnly'] !== true && !hidden.has(String(one['compoundId'])))
      .map(({ _id }) => String(_id)),
  };
}

describe('a portal', () => {
  it('ends with exactly the public items after any writes of other programs between pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
        now = Date.now();
        const tenant = await service.addTenant();
        const dataset = await addDataset(tenant);
        const permissions = { allowExternal: true, visibility: 'public' };
        const key = await tenant.add(addKey, { permissions });
        const api = apiClient(service.url, key);
        const pollers = {
          units: new Poller(api.listUnits),
          compounds: new Poller(api.listCompounds),
        };
        for (const action of steps) {
          now += action.pause * 1_000;
          if (action.kind === 'page') await pollers[action.list].readPage(action.limit);
          else await write(dataset, action);
        }
        for (const poller of Object.values(pollers)) {
          await poller.finish();
          await poller.finish();
        }
        const { body: units } = await tenant.with(key).get('/units/export/all').expect(200);
        const { body: compounds } = await tenant.with(key).get('/compounds?all=1').expect(200);
        const byId = (items: readonly { _id: string }[]) =>
          items.toSorted((a, b) => a._id.localeCompare(b._id));
        expect(pollers.units.sortedCopy()).toEqual(byId(units.data));
        expect(pollers.compounds.sortedCopy()).toEqual(byId(compounds.data));
        const idsOf = (poller: { sortedCopy(): readonly { _id: string }[] }) =>
          poller.sortedCopy().map(({ _id }) => _id);
        expect({
          units: idsOf(pollers.units),
          compounds: idsOf(pollers.compounds),
        }).toEqual(await publicIds(tenant));
      }),
      { numRuns: rounds(4, 40), endOnFailure: true },
    );
  });
});
