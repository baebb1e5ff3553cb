import { beforeAll, describe, expect, it } from '@jest/globals';
import { Decimal128, Long, ObjectId } from 'mongodb';
import { addCatalogue, addTenant, type Tenant } from '../support/builders.js';
import { cutText, cutTexts } from '../support/cut-texts.js';
import { sharedService } from '../support/shared-service.js';
import { addUnit, addUnitCatalogue, type Catalogue } from './catalogue.js';

const service = sharedService();
let tenant: Tenant;
let other: Tenant;
let catalogue: Catalogue;

beforeAll(async () => {
  tenant = await addTenant(service.db);
  other = await addTenant(service.db);
  catalogue = await addUnitCatalogue(service.db, tenant.organizationId);
});

const get = (path: string, key = tenant.key) => service.api('get', path).set('api-key', key);
const read = (slug: string, key?: string) => get(`/units/${encodeURIComponent(slug)}`, key);
const add = (fields: object) => addUnit(service.db, tenant.organizationId, catalogue, fields);
const set = (collection: string, _id: ObjectId, fields: object) =>
  service.db.collection(collection).updateOne({ _id }, { $set: fields });
const time = expect.stringMatching(/^\d{4}-.*Z$/);

const bare = {
  __v: 0,
  createdAt: time,
  updatedAt: time,
  isDeleted: false,
};
const notReviewed = {
  approveStatus: '',
  approvedById: null,
  approvedDate: null,
  reviewStatus: '',
  reviewedById: null,
  reviewedDate: null,
};

describe('a unit', () => {
  it('has numbers, times and ids of other programs as JSON', async () => {
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

  it('has the same text as in lists when a text ends within a character', async () => {
    const _id = await add({ slug: 'cut', name: { 'en-us': cutText.whole }, status: 'Cut' });
    await cutTexts(service, 'units', _id);
    const [listed] = (await get('/units?status=Cut').expect(200)).body.data;
    const { body } = await read('cut').expect(200);
    expect(listed.name).toBe(cutText.shown);
    expect(body.data.name).toBe(cutText.shown);
  });

  it('has every field with its type when almost none is stored', async () => {
    const _id = await add({ slug: 'bare', unitId: 'B-1', name: null, floor: null, media: null });
    const { body } = await read('bare').expect(200);
    const texts = 'unitDesignId buildingId propertyTypeId finishingTypeId name status'.split(' ');
    const lists = (
      'paymentPlansIds maintenancePlanIds clubPlanIds amenitiesIds featuresIds brokersIds ' +
      'brokersGroupsIds listingType addons priceByPaymentPlan releaseIds media reviews amenities'
    ).split(' ');
    expect(body.data).toEqual({
      ...bare,
      compoundId: catalogue.compoundId.toHexString(),
      ...Object.fromEntries([...texts, 'rentalStatus', 'saleType'].map((field) => [field, ''])),
      ...Object.fromEntries(lists.map((field) => [field, []])),
      _id: _id.toHexString(),
      organizationId: tenant.organizationId.toHexString(),
      locationId: catalogue.compoundId.toHexString(),
      unitId: 'B-1',
      slug: 'bare',
      showForBrokers: false,
      isAdminOnly: false,
      allowToTaskeen: false,
      bua: 0,
      price: 0,
      beds: 0,
      floor: { name: '' },
      phase: null,
      type: null,
      unitDesign: null,
    });
  });

  it('has references in the language of the request, and amenities in their own order', async () => {
    const { phaseId, villaId, designId, gymId, poolId, compoundId } = catalogue;
    const reviewerId = new ObjectId();
    const reviewedDate = new Date('2026-02-03T04:05:06.007Z');
    await add({
      slug: 'full',
      recordSystemId: 'ERP-1',
      name: { 'en-us': 'Villa 1', 'ar-eg': 'فيلا ١' },
      locationId: phaseId,
      propertyTypeId: villaId,
      unitDesignId: designId,
      amenitiesIds: [poolId, gymId],
      floor: { name: 'Ground', level: 0 },
      media: [{ image: 'a.png', imageType: 'floorplan', type: 'image' }, { image: 'b.png' }],
      reviews: [{ hasIssue: 0, type: 'unitDesign', reviewedById: reviewerId, reviewedDate }],
      listingType: ['sale'],
      availabilityLock: new ObjectId(),
    });
    const english = (await read('full').expect(200)).body.data;
    const owner = tenant.organizationId.toHexString();
    expect(english).toMatchObject({
      recordSystemId: 'ERP-1',
      name: 'Villa 1',
      floor: { name: 'Ground' },
      media: [
        { image: 'a.png', imageType: 'floorplan', type: 'image' },
        { image: 'b.png', imageType: null, type: '' },
      ],
      reviews: [
        {
          ...notReviewed,
          hasIssue: 0,
          type: 'unitDesign',
          reviewedById: reviewerId.toHexString(),
          reviewedDate: reviewedDate.toISOString(),
        },
      ],
      listingType: ['sale'],
    });
    expect(english).not.toHaveProperty('availabilityLock');
    const { amenities, phase, type, unitDesign } = english;
    const amenity = { ...bare, icon: '', fontColor: '', backgroundColor: '' };
    expect(amenities).toEqual([
      { ...amenity, _id: poolId.toHexString(), name: 'Pool' },
      { ...amenity, _id: gymId.toHexString(), name: 'Gym' },
    ]);
    expect(phase).toEqual({
      ...bare,
      _id: phaseId.toHexString(),
      organizationId: owner,
      parentId: compoundId.toHexString(),
      type: '',
      landArea: 0,
      mainImageUrl: '',
      media: [],
      brochures: [],
      name: 'North',
      slug: 'north',
      description: '',
    });
    expect(type).toEqual({
      ...bare,
      _id: villaId.toHexString(),
      propertyTypeCategoryId: '',
      organizationId: owner,
      name: 'Villa',
      slug: 'villa',
    });
    expect(unitDesign).toEqual({
      ...bare,
      ...notReviewed,
      _id: designId.toHexString(),
      organizationId: owner,
      name: 'Garden Villa',
      slug: 'garden-villa',
      description: '',
      bua: 200,
      bedrooms: 3,
      media: [],
      offerGallery: [],
      amenitiesIds: [],
      locationsIds: [],
      addonsIds: [],
      releaseIds: [],
      type: '',
    });
    const arabic = (await read('full').set('language', 'ar-eg')).body.data;
    expect([arabic.name, arabic.phase.name, arabic.type.name, arabic.unitDesign.name]).toEqual([
      'فيلا ١',
      'الشمال',
      'فيلا',
      'Garden Villa',
    ]);
    expect(arabic.amenities.map(({ name }: { name: string }) => name)).toEqual([
      'حمام سباحة',
      'Gym',
    ]);
  });

  it('omits references that are missing, deleted or of another organization', async () => {
    const foreign = await addUnitCatalogue(service.db, other.organizationId);
    const deleted = { isDeleted: true, name: { 'en-us': 'Gone' } };
    const goneId = await addCatalogue(service.db, 'amenities', tenant.organizationId, deleted);
    const design = await addCatalogue(service.db, 'unitDesigns', tenant.organizationId, deleted);
    await add({
      slug: 'dangling',
      locationId: foreign.phaseId,
      propertyTypeId: new ObjectId(),
      unitDesignId: design,
      amenitiesIds: [goneId, new ObjectId(), foreign.poolId, catalogue.gymId],
    });
    const { data } = (await read('dangling').expect(200)).body;
    expect([data.phase, data.type, data.unitDesign]).toEqual([null, null, null]);
    expect(data.amenities.map(({ name }: { name: string }) => name)).toEqual(['Gym']);
    expect(data.amenitiesIds).toHaveLength(4);
  });

  it.each(['فيلا-النخيل-١٢', 'a/b c', 'ع'.repeat(1_000)])(
    'is returned for the slug %s to its organization only',
    async (slug) => {
      await add({ slug });
      expect((await read(slug).expect(200)).body.data.slug).toBe(slug);
      const body = { statusCode: 404, message: `There is no unit with slug: ${slug}` };
      expect((await read(slug, other.key).expect(404)).body).toEqual({
        ...body,
        error: 'Not Found',
      });
    },
  );

  it('returns 404 when it is deleted, and 400 for a null character', async () => {
    await add({ slug: 'gone', isDeleted: true });
    await read('gone').expect(404);
    const { body } = await get('/units/a%00b').expect(400);
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
      await set(collection, id, { __v: 1 });
      await read('polled').set('if-none-match', tag).expect(200);
    }
  });
});

describe('GET /compounds/:slug/units', () => {
  it('returns all active units, newest first, with an entity tag', async () => {
    const compoundId = await addCatalogue(service.db, 'units', tenant.organizationId, {});
    await service.db.collection('compounds').insertOne({
      _id: compoundId,
      organizationId: tenant.organizationId,
      slug: 'واحة-النخيل',
      isDeleted: false,
      createdAt: new Date(),
      updatedAt: new Date(),
    });
    for (const [number, isDeleted] of [false, true, false].entries()) {
      const createdAt = new Date(Date.UTC(2026, 0, number + 1));
      const unit = { unitId: `N-${number}`, createdAt, isDeleted, amenitiesIds: [catalogue.gymId] };
      await addUnit(service.db, tenant.organizationId, { compoundId }, unit);
    }
    const path = `/compounds/${encodeURIComponent('واحة-النخيل')}/units`;
    const response = await get(path).expect(200);
    expect(Object.keys(response.body)).toEqual(['data']);
    expect(
      response.body.data.map(({ unitId, amenities }: { unitId: string; amenities: unknown[] }) => [
        unitId,
        amenities.length,
      ]),
    ).toEqual([
      ['N-2', 1],
      ['N-0', 1],
    ]);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-updated-as-of': expect.any(String),
    });
    await get(path)
      .set('if-none-match', response.headers['etag'] ?? '')
      .expect(304);
    expect((await get(path, other.key).expect(404)).body).toEqual({
      statusCode: 404,
      message: 'There is no compound with slug: واحة-النخيل',
      error: 'Not Found',
    });
  });

  it('returns 404 when the compound is unknown or deleted', async () => {
    const gone = { _id: new ObjectId(), organizationId: tenant.organizationId, slug: 'gone' };
    const times = { createdAt: new Date(), updatedAt: new Date() };
    await service.db.collection('compounds').insertOne({ ...gone, ...times, isDeleted: true });
    const { headers } = await get('/compounds/gone/units').expect(404);
    expect(headers).not.toHaveProperty('x-updated-as-of');
    const { body } = await get('/compounds/nowhere/units').set('language', 'ar-eg').expect(404);
    expect(body.message).toBe('لا يوجد مجمع سكني بالاسم المختصر: nowhere');
  });
});
