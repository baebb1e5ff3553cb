import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import type { UpsertUnitDto } from '../../src/units/unit.dto.js';
import { addCatalogue, addCompound } from '../support/builders.js';
import { countStatuses, range } from '../support/counting.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { addUnit, addUnitCatalogue, type Catalogue } from './catalogue.js';

const service = sharedService();
let tenant: TenantApi;
let catalogue: Catalogue;

beforeAll(async () => {
  tenant = await service.addTenant();
  catalogue = await tenant.add(addUnitCatalogue);
  await tenant.add(addCompound, { 'en-us': 'Hill' }, { slug: 'hill' });
});

const post = (body: object, language = 'en-us') =>
  tenant.post('/units', body).set('language', language);
/** Returns the unit of an accepted request, by default a new one in the first compound. */
const create = async (body: UpsertUnitDto) =>
  (await post({ compound: 'lake', ...body }).expect(201)).body.unit;
const update = async (body: UpsertUnitDto, language?: string) =>
  (await post(body, language).expect(200)).body.unit;
const units = (filter: Document) => tenant.stored('units', filter);
const eventsOf = ({ _id }: { _id: string }) => tenant.stored('outboxEvents', { 'data._id': _id });

const plain = {
  unitId: 'V-1',
  price: 12_500_000.5,
  status: 'Reserved',
  rentalStatus: 'Rented',
  saleType: 'resale',
  bua: 210,
  beds: 3,
  floor: { name: 'Ground' },
  listingType: ['sale', 'rent'],
  showForBrokers: true,
} satisfies UpsertUnitDto;

describe('POST /units', () => {
  it('returns each concurrent request its own unit in its language', async () => {
    const name = (number: number) => ({ 'en-us': `Flat ${number}`, 'ar-eg': `شقة ${number}` });
    const languages = range(16).map((number) => (number % 2 === 0 ? 'en-us' : 'ar-eg'));
    const responses = await Promise.all(
      languages.map((language, number) =>
        post(
          { recordSystemId: `together-${number}`, compound: 'lake', name: name(number) },
          language,
        ).expect(201),
      ),
    );
    expect(responses.map(({ body }) => body.unit)).toMatchObject(
      languages.map((language, number) => ({
        recordSystemId: `together-${number}`,
        name: name(number)[language],
      })),
    );
  });

  it('creates a unit with every field and emits unit.created', async () => {
    const plan = { image: 'https://cdn.example.com/plan.png', imageType: 'floorplan' };
    const { body } = await post({
      ...plain,
      recordSystemId: 'all',
      name: { 'en-us': 'Lake Villa', 'ar-eg': 'فيلا البحيرة' },
      media: [plan],
      propertyType: 'VILLA',
      compound: 'lake',
      phase: 'north',
      unitDesign: 'garden-villa',
      amenities: ['gym', 'حمام سباحة', 'GYM'],
    }).expect(201);
    const { unit } = body;
    expect(body).toMatchObject({ ok: true, operation: 'create' });
    expect(unit).toMatchObject({
      ...plain,
      recordSystemId: 'all',
      name: 'Lake Villa',
      slug: 'lake-villa',
      media: [{ ...plan, type: 'image' }],
      locationId: catalogue.phaseId.toHexString(),
      isDeleted: false,
      type: { slug: 'villa' },
      phase: { slug: 'north' },
      unitDesign: { slug: 'garden-villa' },
      amenities: [{ name: 'Gym' }, { name: 'Pool' }],
    });
    expect((await tenant.get('/units/lake-villa')).body.data).toEqual(unit);
    expect(await units({ recordSystemId: 'all' })).toMatchObject([
      { compoundId: catalogue.compoundId, amenitiesIds: [catalogue.gymId, catalogue.poolId] },
    ]);
    expect(await eventsOf(unit)).toMatchObject([{ type: 'unit.created', data: unit }]);
  });

  it('changes only sent fields, keeps the slug and emits the changes', async () => {
    const unit = await create({ recordSystemId: 'change', name: 'Before', price: 5, beds: 2 });
    const sent = { name: 'After', price: 7 };
    const { body } = await post({ recordSystemId: 'change', ...sent }).expect(200);
    const updated = { ...unit, ...sent, updatedAt: expect.any(String) };
    expect(body).toEqual({ ok: true, operation: 'update', unit: updated });
    const changes = [
      { field: 'name.en-us', from: 'Before', to: 'After' },
      { field: 'price', from: 5, to: 7 },
    ];
    const [, ...events] = await eventsOf(unit);
    expect(events).toMatchObject([{ type: 'unit.updated', data: { name: 'After' }, changes }]);
  });

  it('treats a stored null unitId as missing', async () => {
    await create({ recordSystemId: 'nameless-1' });
    const { _id } = await create({ recordSystemId: 'nameless-2' });
    await tenant.set('units', { _id: new ObjectId(_id as string) }, { unitId: null });
    const updated = await update({ recordSystemId: 'nameless-2', price: 5 });
    expect(updated).toMatchObject({ _id, price: 5 });
    await update({ recordSystemId: 'nameless-2', isDeleted: true });
  });

  it('retires a unit, emits unit.deleted and frees its ids when isDeleted is sent', async () => {
    const ids = { recordSystemId: 'retired', unitId: 'R-1' };
    const unit = await create({ ...ids, name: 'Retired' });
    expect(await update({ ...ids, isDeleted: false })).toEqual(unit);
    const retired = await update({ recordSystemId: 'retired', price: 9, isDeleted: true });
    expect(retired).toMatchObject({ isDeleted: true, price: 9 });
    const [, deleted, ...more] = await eventsOf(unit);
    expect(deleted).toMatchObject({ type: 'unit.deleted', data: retired });
    expect(deleted).not.toHaveProperty('changes');
    expect(more).toEqual([]);
    expect(await units({ recordSystemId: 'retired' })).toMatchObject([
      { isDeleted: true, deletedAt: new Date(retired.updatedAt as string) },
    ]);
    await tenant.get(`/units/${unit.slug}`).expect(404);
    await post({ ...ids, compound: 'lake', isDeleted: true })
      .expect(404)
      .expect('x-error-code', 'unit.none_to_delete');
    const next = await create({ ...ids, name: 'Retired' });
    expect(next).toMatchObject({ slug: unit.slug, isDeleted: false });
    expect(next._id).not.toBe(unit._id);
  });

  it('emits nothing and keeps updatedAt when nothing changes', async () => {
    const unit = await create({ recordSystemId: 'same', price: 5, amenities: ['Gym'] });
    const same = { recordSystemId: 'same', price: 5, amenities: ['gym'], compound: 'lake' };
    expect(await update(same)).toEqual(unit);
    expect(await eventsOf(unit)).toHaveLength(1);
  });

  it('sets the name in the language of the request and keeps the other name', async () => {
    const recordSystemId = 'names';
    const { body } = await post({ recordSystemId, compound: 'lake', name: 'شاليه' }, 'ar-eg');
    expect(body.unit).toMatchObject({ name: 'شاليه', slug: 'شاليه' });
    await update({ recordSystemId, name: 'Chalet' });
    await update({ recordSystemId, name: 'شاليه البحر' }, 'ar-eg');
    await update({ recordSystemId, name: { 'en-us': 'Sea Chalet' } });
    const name = { 'en-us': 'Sea Chalet', 'ar-eg': 'شاليه البحر' };
    expect(await units({ recordSystemId })).toMatchObject([{ name, slug: 'شاليه' }]);
  });

  it('finds a unit by unitId within the sent compound and refuses an ambiguous id', async () => {
    await create({ unitId: 'by-id', price: 1 });
    await create({ unitId: 'by-id', compound: 'hill', price: 2 });
    const { body } = await post({ unitId: 'by-id', price: 3 }).expect(400);
    expect(body.message).toEqual(['unitId by-id matches more than one unit: send compound too']);
    await update({ unitId: 'by-id', compound: 'hill', price: 4 });
    expect((await units({ unitId: 'by-id' })).map(({ price }) => price)).toEqual([1, 4]);
  });

  it('links an external id once and refuses a unitId of another unit', async () => {
    await tenant.add(addUnit, catalogue, { unitId: 'old', slug: 'old' });
    const sent = { unitId: 'old', compound: 'lake' };
    const linked = await update({ ...sent, recordSystemId: 'linked' });
    expect(linked).toMatchObject({ slug: 'old', recordSystemId: 'linked' });
    const { body } = await post({ ...sent, recordSystemId: 'second' }).expect(400);
    expect(body.message).toEqual(['Another unit of the compound has the unitId: old']);
    expect(await units({ recordSystemId: 'second' })).toEqual([]);
  });

  it('refuses a phase when the unit has no compound', async () => {
    const fields = { recordSystemId: 'homeless', slug: 'homeless', compoundId: null };
    await addCatalogue(service.db, 'units', tenant.organizationId, fields);
    const { body } = await post({ recordSystemId: 'homeless', phase: 'north' }).expect(400);
    expect(body.message).toEqual(['phase not found: north']);
  });

  it('creates unique slugs, in Arabic too, and reuses them after a deletion', async () => {
    const name = 'فيلا النخيل';
    const first = 'فيلا-النخيل';
    expect(await create({ unitId: 'A 1', name })).toMatchObject({ slug: first });
    expect(await create({ unitId: 'A 2', name: 'فيلا  النخيل' })).toMatchObject({
      slug: `${first}-a-2`,
    });
    const third = await create({ unitId: 'A 2', compound: 'hill', name });
    expect(third.slug).toMatch(/^فيلا-النخيل-[0-9a-f]{24}$/);
    expect((await create({ recordSystemId: '🏠' })).slug).toMatch(/^unit-[0-9a-f]{24}$/);
    await tenant.set('units', { slug: first }, { isDeleted: true });
    expect(await create({ unitId: 'A 1', name })).toMatchObject({ slug: first });
  });

  it('creates one unit for concurrent requests, and distinct slugs for one name', async () => {
    const body = { recordSystemId: 'race', unitId: 'race', compound: 'lake', name: 'Race' };
    const same = await Promise.all(range(12).map(() => post(body)));
    expect(countStatuses(same)).toEqual({ 200: 11, 201: 1 });
    expect(await units({ recordSystemId: 'race' })).toHaveLength(1);
    const slugs = await Promise.all(
      range(8).map(async (index) => {
        const ids = { recordSystemId: `t${index}`, unitId: `t${index}` };
        return (await create({ ...body, ...ids })).slug as string;
      }),
    );
    expect(new Set(slugs).size).toBe(8);
  });

  it('neither finds nor changes units of another organization', async () => {
    const unit = await create({ recordSystemId: 'ours' });
    const other = await service.addTenant();
    const { body } = await other
      .post('/units', { recordSystemId: 'ours', compound: 'lake' })
      .expect(400);
    expect(body.message).toEqual(['compound not found: lake']);
    await other.post('/units', { recordSystemId: 'ours', price: 1 }).expect(400);
    expect((await tenant.get(`/units/${unit.slug}`)).body.data).toEqual(unit);
  });
});
