import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import { cacheLifetimeMs, TenantCache } from '../../src/core/cache/tenant-cache.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { apiClient } from '../support/api-client.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { Poller } from './poller.js';

/** The longest time in seconds between a writer's clock read and its commit. */
const maxLagSeconds = 110;
const partCount = 2;
const unitCount = 7;

let service: TestService;
let now: number;

beforeAll(async () => {
  service = await startTestService({ RESPONSE_CACHE_BYTES: '67108864' });
  service.service.app.get(Clock).now = () => new Date(now);
  service.service.app.get(TenantCache).now = () => now;
});
afterAll(() => service.stop());

const partKinds = ['compounds', 'phases', 'propertyTypes', 'unitDesigns', 'amenities'] as const;
type PartKind = (typeof partKinds)[number];

type Change = 'value' | 'references' | 'delete' | 'tombstone' | 'restore';

/** A write of another program or a page read by a poller. `pause` counts seconds since the previous step. */
type Step = { readonly pause: number; readonly lag: number } & (
  | { readonly kind: 'page'; readonly list: 'units' | 'compounds'; readonly limit: number }
  | {
      readonly kind: 'change';
      readonly target: 'organizations' | 'units' | PartKind;
      readonly index: number;
      readonly change: Change;
      readonly value: number;
    }
  | { readonly kind: 'insert'; readonly isFirst: boolean }
  | { readonly kind: 'create'; readonly part: PartKind }
);

const pause = fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 400 }));
const timing = { pause, lag: fc.nat({ max: maxLagSeconds }) };
const oneOf = <K extends string>(...names: K[]) => fc.constantFrom(...names);

const changeOf = (
  target: fc.Arbitrary<'organizations' | 'units' | PartKind>,
  count: number,
  change: fc.Arbitrary<Change>,
) =>
  fc.record({
    ...timing,
    kind: oneOf('change'),
    target,
    index: fc.nat({ max: count - 1 }),
    change,
    value: fc.nat({ max: 99 }),
  });
const unitChange = oneOf<Change>(
  'value',
  'value',
  'references',
  'references',
  'delete',
  'tombstone',
  'restore',
);
const partChange = oneOf<Change>('value', 'value', 'delete', 'tombstone', 'restore');
const page = { kind: oneOf('page'), list: oneOf('units', 'units', 'compounds') };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ ...timing, ...page, limit: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 7, arbitrary: changeOf(oneOf('units'), unitCount, unitChange) },
  { weight: 4, arbitrary: changeOf(oneOf(...partKinds), partCount + 1, partChange) },
  { weight: 1, arbitrary: changeOf(oneOf('organizations'), 1, oneOf('value')) },
  { weight: 1, arbitrary: fc.record({ ...timing, kind: oneOf('insert'), isFirst: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ ...timing, kind: oneOf('create'), part: oneOf(...partKinds) }),
  },
);

/** Adds a catalogue to an organization. The last part of each kind is referenced but not stored. */
async function addDataset(tenant: Tenant) {
  const old = { createdAt: new Date(now - 1e9), updatedAt: new Date(now - 1e9) };
  const common = { organizationId: tenant.organizationId, isDeleted: false, ...old };
  const ids = Object.fromEntries(
    partKinds.map((kind) => [kind, Array.from({ length: partCount + 1 }, () => new ObjectId())]),
  ) as Record<PartKind, ObjectId[]>;
  const partOf = (kind: PartKind, index: number) => ({
    ...common,
    _id: ids[kind][index] as ObjectId,
    slug: `${kind}-${index}`,
    name: { 'en-us': `${kind} ${index}` },
  });
  for (const kind of partKinds) {
    const parts = Array.from({ length: partCount }, (_, index) => partOf(kind, index));
    await service.db.collection(kind).insertMany(parts);
  }
  const references = (index: number) => ({
    compoundId: ids.compounds[index % 3],
    locationId: ids.phases[index % 3],
    propertyTypeId: ids.propertyTypes[(index + 1) % 3],
    unitDesignId: ids.unitDesigns[(index + 2) % 3],
    amenitiesIds: ids.amenities.slice(index % 3),
  });
  const unitOf = (index: number, _id: ObjectId) => ({
    ...common,
    _id,
    slug: `unit-${_id.toHexString()}`,
    name: { 'en-us': 'Unit' },
    price: index,
    ...references(index),
  });
  const units = Array.from({ length: unitCount }, (_, index) => unitOf(index, new ObjectId()));
  await service.db.collection('units').insertMany(units);
  return { ids, references, partOf, unitOf, units: units.map(({ _id }) => _id) };
}

type Dataset = Awaited<ReturnType<typeof addDataset>>;

/** Writes as another program that read the clock `lag` seconds ago. */
async function write(dataset: Dataset, tenant: Tenant, action: Step): Promise<void> {
  const updatedAt = new Date(now - action.lag * 1_000);
  if (action.kind === 'insert') {
    const _id = new ObjectId(
      `${action.isFirst ? '01' : 'ff'}${new ObjectId().toHexString().slice(2)}`,
    );
    const inserted = { ...dataset.unitOf(action.lag, _id), updatedAt };
    await service.db.collection('units').insertOne(inserted);
  } else if (action.kind === 'create') {
    const created = { ...dataset.partOf(action.part, partCount), createdAt: updatedAt, updatedAt };
    const filter = { _id: created._id } as Document;
    await service.db
      .collection(action.part)
      .updateOne(filter, { $setOnInsert: created }, { upsert: true });
  } else if (action.kind === 'change') {
    const { target, index, change, value } = action;
    const ids = { organizations: [tenant.organizationId], units: dataset.units, ...dataset.ids };
    const name = target === 'organizations' ? `Homes ${value}` : { 'en-us': `New ${value}` };
    const $set = {
      value: { ...(target === 'units' ? { price: value } : { name }), updatedAt },
      references: { ...dataset.references(value), updatedAt },
      delete: { isDeleted: true, deletedAt: updatedAt, updatedAt },
      tombstone: { isDeleted: true, deletedAt: updatedAt },
      restore: { isDeleted: false, updatedAt },
    }[change];
    const filter = { _id: ids[target][index] } as Document;
    await service.db.collection(target).updateOne(filter, { $set });
  }
}

describe('a poller', () => {
  it('ends with an exact copy after any writes of other programs between pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
        now = Date.now();
        const tenant = await addTenant(service.db);
        const dataset = await addDataset(tenant);
        const get = (path: string) => service.api('get', path).set('api-key', tenant.key);
        const api = apiClient(service.url, tenant.key);
        const pollers = {
          units: new Poller(api.listUnits),
          compounds: new Poller(api.listCompounds),
        };
        for (const action of steps) {
          now += action.pause * 1_000;
          if (action.kind === 'page') await pollers[action.list].readPage(action.limit);
          else await write(dataset, tenant, action);
        }
        for (const poller of Object.values(pollers)) {
          await poller.finish();
          now += cacheLifetimeMs + 1;
          await poller.finish();
        }
        const units = await get('/units/export/all');
        const compounds = await get('/compounds?all=1');
        const byId = (items: readonly { _id: string }[]) =>
          items.toSorted((a, b) => a._id.localeCompare(b._id));
        expect(pollers.units.sortedCopy()).toEqual(byId(units.body.data));
        expect(pollers.compounds.sortedCopy()).toEqual(byId(compounds.body.data));
      }),
      { numRuns: rounds(2, 8), endOnFailure: true },
    );
  });
});
