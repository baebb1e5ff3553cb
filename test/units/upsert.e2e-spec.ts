import { beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import type { UpsertUnitDto } from '../../src/units/unit.dto.js';
import { addCatalogue, addCompound, addTenant, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { addUnit, addUnitCatalogue, type Catalogue } from './catalogue.js';

const service = sharedService();
let tenant: Tenant;
let other: Tenant;
let catalogue: Catalogue;
let secondCompoundId: ObjectId;

beforeAll(async () => {
  tenant = await addTenant(service.db);
  other = await addTenant(service.db);
  const { organizationId } = tenant;
  catalogue = await addUnitCatalogue(service.db, organizationId);
  secondCompoundId = await addCompound(
    service.db,
    organizationId,
    { 'en-us': 'Hill' },
    { slug: 'hill' },
  );
  await addCatalogue(service.db, 'phases', organizationId, {
    parentId: secondCompoundId,
    slug: 'south',
  });
});

const post = (body: object, key = tenant.key) =>
  service.api('post', '/units').set('api-key', key).send(body);
const create = async (body: Partial<UpsertUnitDto>) =>
  (await post(Object.assign({ compound: 'lake' }, body)).expect(201)).body.unit;
const units = (filter: object) => {
  const organizationId = { $in: [tenant.organizationId, other.organizationId] };
  return service.db
    .collection('units')
    .find({ organizationId, ...filter })
    .toArray();
};
const eventsOf = ({ _id }: { _id: string }) =>
  service.db.collection('outboxEvents').find({ 'data._id': _id }).sort({ _id: 1 }).toArray();

const everything = {
  unitId: 'V-1',
  name: { 'en-us': 'Lake Villa', 'ar-eg': 'فيلا البحيرة' },
  price: 12_500_000.5,
  status: 'Reserved',
  rentalStatus: 'Rented',
  saleType: 'resale',
  propertyType: 'VILLA',
  compound: 'lake',
  phase: 'north',
  unitDesign: 'garden-villa',
  amenities: ['gym', 'حمام سباحة', 'GYM'],
  bua: 210,
  beds: 3,
  floor: { name: 'Ground' },
  media: [{ image: 'https://cdn.example.com/plan.png', imageType: 'floorplan' }],
  listingType: ['sale', 'rent'],
  showForBrokers: true,
} satisfies UpsertUnitDto;

describe('POST /units', () => {
  it('returns each concurrent request its own unit in its language', async () => {
    const numbers = Array.from({ length: 16 }, (_, number) => number);
    const name = (number: number) => ({ 'en-us': `Flat ${number}`, 'ar-eg': `شقة ${number}` });
    const responses = await Promise.all(
      numbers.map((number) =>
        post({ recordSystemId: `together-${number}`, compound: 'lake', name: name(number) })
          .set('language', number % 2 === 0 ? 'en-us' : 'ar-eg')
          .expect(201),
      ),
    );
    const shown = responses.map(({ body }) => [body.unit.recordSystemId, body.unit.name]);
    expect(shown).toEqual(
      numbers.map((number) => [
        `together-${number}`,
        name(number)[number % 2 === 0 ? 'en-us' : 'ar-eg'],
      ]),
    );
  });

  it('creates a unit with every field and emits unit.created', async () => {
    const { body } = await post({ recordSystemId: 'all', ...everything }).expect(201);
    expect(body).toMatchObject({ ok: true, operation: 'create' });
    expect(body.unit).toMatchObject({
      recordSystemId: 'all',
      unitId: 'V-1',
      name: 'Lake Villa',
      slug: 'lake-villa',
      price: 12_500_000.5,
      status: 'Reserved',
      rentalStatus: 'Rented',
      saleType: 'resale',
      locationId: catalogue.phaseId.toHexString(),
      bua: 210,
      beds: 3,
      floor: { name: 'Ground' },
      media: [{ image: 'https://cdn.example.com/plan.png', imageType: 'floorplan', type: 'image' }],
      listingType: ['sale', 'rent'],
      showForBrokers: true,
      isDeleted: false,
      type: { slug: 'villa' },
      phase: { slug: 'north' },
      unitDesign: { slug: 'garden-villa' },
      amenities: [{ name: 'Gym' }, { name: 'Pool' }],
    });
    const read = await service.api('get', '/units/lake-villa').set('api-key', tenant.key);
    expect(read.body.data).toEqual(body.unit);
    expect(await units({ recordSystemId: 'all' })).toMatchObject([
      { compoundId: catalogue.compoundId, amenitiesIds: [catalogue.gymId, catalogue.poolId] },
    ]);
    expect(await eventsOf(body.unit)).toMatchObject([{ type: 'unit.created', data: body.unit }]);
  });

  it('changes only sent fields, keeps the slug and emits the changes', async () => {
    const unit = await create({ recordSystemId: 'change', name: 'Before', price: 5, beds: 2 });
    const sent = { recordSystemId: 'change', name: 'After', price: 7 };
    const { body } = await post(sent).expect(200);
    expect(body.operation).toBe('update');
    expect(body.unit).toEqual({
      ...unit,
      name: 'After',
      price: 7,
      updatedAt: expect.any(String),
    });
    expect((await eventsOf(unit)).slice(1)).toMatchObject([
      {
        type: 'unit.updated',
        data: { name: 'After' },
        changes: [
          { field: 'name.en-us', from: 'Before', to: 'After' },
          { field: 'price', from: 5, to: 7 },
        ],
      },
    ]);
  });

  it('treats a stored null unitId as missing', async () => {
    await create({ recordSystemId: 'nameless-1' });
    const unit = await create({ recordSystemId: 'nameless-2' });
    const _id = new ObjectId(unit._id);
    await service.db.collection('units').updateOne({ _id }, { $set: { unitId: null } });
    const { body } = await post({ recordSystemId: 'nameless-2', price: 5 }).expect(200);
    expect(body.unit).toMatchObject({ _id: unit._id, price: 5 });
    await post({ recordSystemId: 'nameless-2', isDeleted: true }).expect(200);
  });

  it('retires a unit, emits unit.deleted and frees its ids when isDeleted is sent', async () => {
    const ids = { recordSystemId: 'retired', unitId: 'R-1' };
    const unit = await create({ ...ids, name: 'Retired' });
    expect((await post({ ...ids, isDeleted: false }).expect(200)).body.unit).toEqual(unit);
    const { body } = await post({ recordSystemId: 'retired', price: 9, isDeleted: true });
    expect(body).toMatchObject({
      ok: true,
      operation: 'update',
      unit: { isDeleted: true, price: 9 },
    });
    const [, deleted, ...more] = await eventsOf(unit);
    expect(deleted).toMatchObject({ type: 'unit.deleted', data: body.unit });
    expect(deleted).not.toHaveProperty('changes');
    expect(more).toEqual([]);
    expect(await units({ recordSystemId: 'retired' })).toMatchObject([
      { isDeleted: true, deletedAt: new Date(body.unit.updatedAt as string) },
    ]);
    await service.api('get', `/units/${unit.slug}`).set('api-key', tenant.key).expect(404);
    const again = await post({ ...ids, compound: 'lake', isDeleted: true }).expect(404);
    expect(again.headers['x-error-code']).toBe('unit.none_to_delete');
    const next = await create({ ...ids, name: 'Retired' });
    expect(next).toMatchObject({ slug: unit.slug, isDeleted: false });
    expect(next._id).not.toBe(unit._id);
  });

  it('emits nothing and keeps updatedAt when nothing changes', async () => {
    const unit = await create({ recordSystemId: 'same', price: 5, amenities: ['Gym'] });
    const same = { recordSystemId: 'same', price: 5, amenities: ['gym'], compound: 'lake' };
    const { body } = await post(same).expect(200);
    expect(body).toEqual({ ok: true, operation: 'update', unit });
    expect(await eventsOf(unit)).toHaveLength(1);
  });

  it('sets the name in the language of the request and keeps the other name', async () => {
    const arabic = (body: object) => post(body).set('language', 'ar-eg');
    const first = await arabic({ recordSystemId: 'names', compound: 'lake', name: 'شاليه' });
    expect(first.body.unit).toMatchObject({ name: 'شاليه', slug: 'شاليه' });
    await post({ recordSystemId: 'names', name: 'Chalet' }).expect(200);
    await arabic({ recordSystemId: 'names', name: 'شاليه البحر' }).expect(200);
    await post({ recordSystemId: 'names', name: { 'en-us': 'Sea Chalet' } }).expect(200);
    expect(await units({ recordSystemId: 'names' })).toMatchObject([
      { name: { 'en-us': 'Sea Chalet', 'ar-eg': 'شاليه البحر' }, slug: 'شاليه' },
    ]);
  });

  it('finds a unit by unitId within the sent compound and rejects an ambiguous id', async () => {
    await create({ unitId: 'by-id', price: 1 });
    await post({ unitId: 'by-id', compound: 'hill', price: 2 }).expect(201);
    const { body } = await post({ unitId: 'by-id', price: 3 }).expect(400);
    expect(body.message).toEqual(['unitId names several units, send compound too: by-id']);
    await post({ unitId: 'by-id', compound: 'hill', price: 4 }).expect(200);
    expect((await units({ unitId: 'by-id' })).map(({ price }) => price)).toEqual([1, 4]);
  });

  it('links an external id once and rejects a unitId of another unit', async () => {
    await addUnit(service.db, tenant.organizationId, catalogue, { unitId: 'old', slug: 'old' });
    const sent = { unitId: 'old', compound: 'lake' };
    expect((await post({ ...sent, recordSystemId: 'linked' }).expect(200)).body.unit).toMatchObject(
      {
        slug: 'old',
        recordSystemId: 'linked',
      },
    );
    const { body } = await post({ ...sent, recordSystemId: 'second' }).expect(400);
    expect(body.message).toEqual(['another unit of the compound has the unitId: old']);
    expect(await units({ recordSystemId: 'second' })).toEqual([]);
  });

  it('rejects a phase when the unit has no compound', async () => {
    const fields = { recordSystemId: 'homeless', slug: 'homeless', compoundId: null };
    await addCatalogue(service.db, 'units', tenant.organizationId, fields);
    const { body } = await post({ recordSystemId: 'homeless', phase: 'north' }).expect(400);
    expect(body.message).toEqual(['phase not found: north']);
    await post({ recordSystemId: 'homeless', phase: null, beds: 2 }).expect(200);
  });

  it('creates unique slugs, in Arabic too, and reuses them after a deletion', async () => {
    const slugs = async (body: UpsertUnitDto) => (await create(body)).slug;
    expect(await slugs({ unitId: 'A 1', name: 'فيلا النخيل' })).toBe('فيلا-النخيل');
    expect(await slugs({ unitId: 'A 2', name: 'فيلا  النخيل' })).toBe('فيلا-النخيل-a-2');
    const third = { unitId: 'A 2', compound: 'hill', name: 'فيلا النخيل' };
    expect(await slugs(third)).toMatch(/^فيلا-النخيل-[0-9a-f]{24}$/);
    expect(await slugs({ recordSystemId: '🏠' })).toMatch(/^unit-[0-9a-f]{24}$/);
    await service.db
      .collection('units')
      .updateMany(
        { organizationId: tenant.organizationId, slug: 'فيلا-النخيل' },
        { $set: { isDeleted: true } },
      );
    expect(await slugs({ unitId: 'A 1', name: 'فيلا النخيل' })).toBe('فيلا-النخيل');
  });

  it('creates one unit for concurrent requests, and distinct slugs for one name', async () => {
    const body = { recordSystemId: 'race', unitId: 'race', compound: 'lake', name: 'Race' };
    const same = await Promise.all(Array.from({ length: 12 }, () => post(body)));
    expect(same.map(({ status }) => status).toSorted()).toEqual([...Array(11).fill(200), 201]);
    expect(await units({ recordSystemId: 'race' })).toHaveLength(1);
    const simultaneousUnits = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        post({ ...body, recordSystemId: `t${index}`, unitId: `t${index}` }),
      ),
    );
    expect(simultaneousUnits.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(simultaneousUnits.map(({ body: { unit } }) => unit.slug)).size).toBe(8);
  });

  it('neither finds nor changes units of another organization', async () => {
    await create({ recordSystemId: 'ours' });
    const { body } = await post({ recordSystemId: 'ours', compound: 'lake' }, other.key).expect(
      400,
    );
    expect(body.message).toEqual(['compound not found: lake']);
    await post({ recordSystemId: 'ours', price: 1 }, other.key).expect(400);
    expect(await units({ recordSystemId: 'ours' })).toMatchObject([
      { organizationId: tenant.organizationId },
    ]);
  });
});
