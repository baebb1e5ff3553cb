import { beforeAll, describe, expect, it } from '@jest/globals';
import { Decimal128, type Document, Long, ObjectId } from 'mongodb';
import { addCatalogue, addCompound } from '../support/builders.js';
import { truncated, truncateTexts } from '../support/truncated-texts.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { addUnit, addUnitCatalogue, type Catalogue } from './catalogue.js';

const service = sharedService();
let tenant: TenantApi;
let other: TenantApi;
let catalogue: Catalogue;

beforeAll(async () => {
  tenant = await service.addTenant();
  other = await service.addTenant();
  catalogue = await tenant.add(addUnitCatalogue);
});

const pathOf = (slug: string) => `/units/${encodeURIComponent(slug)}`;
const read = (slug: string) => tenant.get(pathOf(slug));
const dataOf = async (slug: string, language = 'en-us'): Promise<Document> =>
  (await read(slug).set('language', language).expect(200)).body.data;
const add = (fields: Document) => tenant.add(addUnit, catalogue, fields);
const time = expect.stringMatching(/^\d{4}-.*Z$/);
const namesOf = (parts: Document[]) => parts.map(({ name }) => name as string);

const bare = { __v: 0, createdAt: time, updatedAt: time, isDeleted: false };
const fieldsWith = (value: unknown, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));
const notReviewed = {
  ...fieldsWith('', 'approveStatus reviewStatus'),
  ...fieldsWith(null, 'approvedById approvedDate reviewedById reviewedDate'),
};

describe('GET /units/:slug', () => {
  it('returns numbers, times and ids in any stored type as JSON', async () => {
    const addons = [
      Long.fromString('9007199254740993'),
      { price: Decimal128.fromString('1250.50'), at: new Date(0), id: catalogue.villaId },
    ];
    await add({ slug: 'foreign', addons });
    const id = catalogue.villaId.toHexString();
    expect((await read('foreign')).text).toContain(
      `"addons":[9007199254740993,{"price":1250.5,"at":"1970-01-01T00:00:00.000Z","id":"${id}"}]`,
    );
  });

  it('returns a string cut inside a multibyte character as lists do', async () => {
    const _id = await add({ slug: 'cut', name: { 'en-us': truncated.whole }, status: 'Cut' });
    await truncateTexts(service, 'units', _id);
    const { body } = await tenant.get('/units?status=Cut').expect(200);
    expect(namesOf([...body.data, await dataOf('cut')])).toEqual(Array(2).fill(truncated.shown));
  });

  it('has every field with its type when almost none is stored', async () => {
    const _id = await add({ slug: 'bare', unitId: 'B-1', name: null, floor: null, media: null });
    const compoundId = catalogue.compoundId.toHexString();
    expect(await dataOf('bare')).toEqual({
      ...bare,
      ...fieldsWith('', 'unitDesignId buildingId propertyTypeId finishingTypeId name status'),
      ...fieldsWith('', 'rentalStatus saleType'),
      ...fieldsWith([], 'paymentPlansIds maintenancePlanIds clubPlanIds amenitiesIds featuresIds'),
      ...fieldsWith([], 'brokersIds brokersGroupsIds listingType addons priceByPaymentPlan'),
      ...fieldsWith([], 'releaseIds media reviews amenities'),
      ...fieldsWith(false, 'showForBrokers isAdminOnly allowToTaskeen'),
      ...fieldsWith(0, 'bua price beds'),
      ...fieldsWith(null, 'phase type unitDesign'),
      _id: _id.toHexString(),
      organizationId: tenant.organizationId.toHexString(),
      compoundId,
      locationId: compoundId,
      unitId: 'B-1',
      slug: 'bare',
      floor: { name: '' },
    });
  });

  it('has references in the language of the request, and amenities in their own order', async () => {
    const { phaseId, villaId, designId, gymId, poolId, compoundId } = catalogue;
    const reviewedById = new ObjectId();
    const reviewedDate = new Date('2026-02-03T04:05:06.007Z');
    const plan = { image: 'a.png', imageType: 'floorplan', type: 'image' };
    const shown = { recordSystemId: 'ERP-1', listingType: ['sale'] };
    await add({
      ...shown,
      slug: 'full',
      name: { 'en-us': 'Villa 1', 'ar-eg': 'فيلا ١' },
      locationId: phaseId,
      propertyTypeId: villaId,
      unitDesignId: designId,
      amenitiesIds: [poolId, gymId],
      floor: { name: 'Ground', level: 0 },
      media: [plan, { image: 'b.png' }],
      reviews: [{ hasIssue: 0, type: 'unitDesign', reviewedById, reviewedDate }],
      availabilityLock: new ObjectId(),
    });
    const english = await dataOf('full');
    const review = {
      reviewedById: reviewedById.toHexString(),
      reviewedDate: reviewedDate.toJSON(),
    };
    expect(english).toMatchObject({
      ...shown,
      name: 'Villa 1',
      floor: { name: 'Ground' },
      media: [plan, { image: 'b.png', imageType: null, type: '' }],
      reviews: [{ ...notReviewed, hasIssue: 0, type: 'unitDesign', ...review }],
    });
    expect(english).not.toHaveProperty('availabilityLock');
    const amenity = { ...bare, ...fieldsWith('', 'icon fontColor backgroundColor') };
    expect(english['amenities']).toEqual([
      { ...amenity, _id: poolId.toHexString(), name: 'Pool' },
      { ...amenity, _id: gymId.toHexString(), name: 'Gym' },
    ]);
    const referenceTo = (id: ObjectId, name: string, slug: string) => {
      const organizationId = tenant.organizationId.toHexString();
      return { ...bare, _id: id.toHexString(), organizationId, name, slug };
    };
    expect(english['phase']).toEqual({
      ...referenceTo(phaseId, 'North', 'north'),
      ...fieldsWith('', 'type mainImageUrl description'),
      ...fieldsWith([], 'media brochures'),
      parentId: compoundId.toHexString(),
      landArea: 0,
    });
    const type = referenceTo(villaId, 'Villa', 'villa');
    expect(english['type']).toEqual({ ...type, propertyTypeCategoryId: '' });
    expect(english['unitDesign']).toEqual({
      ...referenceTo(designId, 'Garden Villa', 'garden-villa'),
      ...notReviewed,
      ...fieldsWith('', 'type description'),
      ...fieldsWith([], 'media offerGallery amenitiesIds locationsIds addonsIds releaseIds'),
      bua: 200,
      bedrooms: 3,
    });
    const arabic = await dataOf('full', 'ar-eg');
    const { phase, type: typeInArabic, unitDesign, amenities } = arabic;
    const parts = [arabic, phase, typeInArabic, unitDesign, ...amenities];
    const names = ['فيلا ١', 'الشمال', 'فيلا', 'Garden Villa', 'حمام سباحة', 'Gym'];
    expect(namesOf(parts)).toEqual(names);
  });

  it('omits references that are missing, deleted or of another organization', async () => {
    const foreign = await other.add(addUnitCatalogue);
    const deleted = { isDeleted: true, name: { 'en-us': 'Gone' } };
    const addDeleted = (collection: 'amenities' | 'unitDesigns') =>
      addCatalogue(service.db, collection, tenant.organizationId, deleted);
    const goneId = await addDeleted('amenities');
    await add({
      slug: 'dangling',
      locationId: foreign.phaseId,
      propertyTypeId: new ObjectId(),
      unitDesignId: await addDeleted('unitDesigns'),
      amenitiesIds: [goneId, new ObjectId(), foreign.poolId, catalogue.gymId],
    });
    const data = await dataOf('dangling');
    expect(data).toMatchObject({ phase: null, type: null, unitDesign: null });
    expect(namesOf(data['amenities'])).toEqual(['Gym']);
    expect(data['amenitiesIds']).toHaveLength(4);
  });

  it.each([
    ['in Arabic', 'فيلا-النخيل-١٢'],
    ['with a slash and a blank', 'a/b c'],
    ['of 1,000 letters', 'ع'.repeat(1_000)],
  ])('is returned only to its own organization for a slug %s', async (_title, slug) => {
    await add({ slug });
    expect(await dataOf(slug)).toMatchObject({ slug });
    const message = `There is no unit with slug: ${slug}`;
    const { body } = await other.get(pathOf(slug)).expect(404);
    expect(body).toEqual({ statusCode: 404, message, error: 'Not Found' });
  });

  it('returns 404 when it is deleted, and 400 for a null character', async () => {
    await add({ slug: 'gone', isDeleted: true });
    await read('gone').expect(404);
    const { body } = await tenant.get('/units/a%00b').expect(400);
    expect(body.message).toEqual(['slug must not contain null characters or unpaired surrogates']);
    const arabic = await read('none').set('language', 'ar-eg').expect(404);
    expect(arabic.body.message).toBe('لا توجد وحدة بالاسم المختصر: none');
  });

  it('returns 304 until any program changes the unit or a reference', async () => {
    const { phaseId, villaId, designId, gymId } = catalogue;
    const references = { locationId: phaseId, propertyTypeId: villaId, unitDesignId: designId };
    const _id = await add({ slug: 'polled', ...references, amenitiesIds: [gymId] });
    const changes: [string, ObjectId][] = [
      ['units', _id],
      ['phases', phaseId],
      ['propertyTypes', villaId],
      ['unitDesigns', designId],
      ['amenities', gymId],
    ];
    for (const [collection, id] of changes) {
      const tag = (await read('polled').expect(200)).headers['etag'] ?? '';
      await read('polled').set('if-none-match', tag).expect(304);
      await tenant.set(collection, { _id: id }, { __v: 1 });
      await read('polled').set('if-none-match', tag).expect(200);
    }
  });
});

describe('GET /compounds/:slug/units', () => {
  it('returns all active units, newest first, with an entity tag', async () => {
    const slug = 'واحة-النخيل';
    const compoundId = await tenant.add(addCompound, { 'en-us': 'Palm' }, { slug });
    for (const [number, isDeleted] of [false, true, false].entries()) {
      const createdAt = new Date(Date.UTC(2026, 0, number + 1));
      const unit = { unitId: `N-${number}`, createdAt, isDeleted, amenitiesIds: [catalogue.gymId] };
      await tenant.add(addUnit, { compoundId }, unit);
    }
    const path = `/compounds/${encodeURIComponent(slug)}/units`;
    const { body, headers } = await tenant.get(path).expect(200);
    const amenities = [{ name: 'Gym' }];
    expect(body).toMatchObject({
      data: [
        { unitId: 'N-2', amenities },
        { unitId: 'N-0', amenities },
      ],
    });
    expect(Object.keys(body as object)).toEqual(['data']);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-updated-as-of': expect.any(String),
    });
    const tag = headers['etag'] ?? '';
    await tenant.get(path).set('if-none-match', tag).expect(304);
    const message = `There is no compound with slug: ${slug}`;
    const refused = await other.get(path).expect(404);
    expect(refused.body).toEqual({ statusCode: 404, message, error: 'Not Found' });
  });

  it('returns 404 when the compound is unknown or deleted', async () => {
    await tenant.add(addCompound, { 'en-us': 'Gone' }, { slug: 'gone', isDeleted: true });
    const { headers } = await tenant.get('/compounds/gone/units').expect(404);
    expect(headers).not.toHaveProperty('x-updated-as-of');
    const unknown = tenant.get('/compounds/nowhere/units').set('language', 'ar-eg');
    expect((await unknown.expect(404)).body.message).toBe(
      'لا يوجد مجمع سكني بالاسم المختصر: nowhere',
    );
  });
});
