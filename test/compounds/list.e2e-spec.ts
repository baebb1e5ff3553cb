import { beforeEach, describe, expect, it } from '@jest/globals';
import { Decimal128, Long, ObjectId } from 'mongodb';
import { addCompound, addTenant, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;
let other: Tenant;

beforeEach(async () => {
  tenant = await addTenant(service.db);
  other = await addTenant(service.db);
});

const list = (query = '', key = tenant.key) =>
  service.api('get', `/compounds${query}`).set('api-key', key);
const add = (english: string, overrides: object = {}, owner = tenant) =>
  addCompound(service.db, owner.organizationId, { 'en-us': english }, overrides);
const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const names = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name);

const texts = ['type', 'mainImageUrl', 'mainBannerUrl', 'logo', 'saleType', 'description', 'name'];
const switches = (
  'isDeleted showOnMap isPublished isPublic mapHealthCheck isNewLaunch allowPriceRange ' +
  'showInLeadFeedback isAdminOnly showInEcommerce'
).split(' ');
const lists = (
  'media constructionUpdates brochures EOIUnitTypes EOIUnitPreferences EOIForm offerJsons ' +
  'commercialBuildingsOrder'
).split(' ');

describe('GET /compounds', () => {
  it('returns every field with its type when almost none is stored', async () => {
    const id = await add('Bare', { slug: 'bare', area: null, media: null });
    const { body } = await list().expect(200);
    expect(body.data).toEqual([
      {
        ...Object.fromEntries(texts.map((field) => [field, ''])),
        ...Object.fromEntries(switches.map((field) => [field, false])),
        ...Object.fromEntries(lists.map((field) => [field, []])),
        _id: id.toHexString(),
        organizationId: tenant.organizationId.toHexString(),
        name: 'Bare',
        slug: 'bare',
        area: 0,
        numberOfUnits: 0,
        __v: 0,
        mainBrochure: { dateUploaded: '', name: '', url: '' },
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        organization: {
          _id: tenant.organizationId.toHexString(),
          name: 'Nile Homes',
          logo: 'https://cdn.example.com/logo.png',
        },
      },
    ]);
    expect(body.pagination).toEqual({ count: 1, limit: 10, pages: 1, total: 1 });
  });

  it('returns only documented fields, and large integers as JSON numbers', async () => {
    const brochure = { dateUploaded: day(2), name: 'Plan', url: 'https://cdn.example.com/p.pdf' };
    const media = [{ image: 'https://cdn.example.com/a.jpg', type: 'image', hidden: 1 }];
    const unitType = new ObjectId();
    await add('Full', {
      ...Object.fromEntries(switches.map((field) => [field, field !== 'isDeleted'])),
      area: Decimal128.fromString('1200.5'),
      numberOfUnits: Long.fromNumber(40),
      media,
      mainBrochure: brochure,
      brochures: [brochure],
      EOIUnitTypes: [unitType, { since: day(3) }],
      secret: 'internal',
      saleType: 'resale',
    });
    const { body } = await list().expect(200);
    const shownBrochure = { ...brochure, dateUploaded: day(2).toISOString() };
    expect(body.data[0]).toMatchObject({
      isPublished: true,
      area: 1200.5,
      numberOfUnits: 40,
      media: [{ image: 'https://cdn.example.com/a.jpg', type: 'image' }],
      mainBrochure: shownBrochure,
      brochures: [shownBrochure],
      EOIUnitTypes: [unitType.toHexString(), { since: day(3).toISOString() }],
      saleType: 'resale',
    });
    expect(JSON.stringify(body)).not.toMatch(/secret|hidden/);
  });

  it('returns active compounds of the organization, newest first, then by id', async () => {
    const same = { createdAt: day(2) };
    await add('old', { createdAt: day(1) });
    await add('first', { ...same, _id: new ObjectId('000000000000000000000001') });
    await add('second', { ...same, _id: new ObjectId('000000000000000000000002') });
    await add('deleted', { isDeleted: true });
    await add('foreign', {}, other);
    expect(names((await list()).body)).toEqual(['second', 'first', 'old']);
  });

  it('returns the requested language, or en-us when a translation is missing', async () => {
    await addCompound(
      service.db,
      tenant.organizationId,
      { 'en-us': 'Lake', 'ar-eg': 'بحيرة' },
      { createdAt: day(2), description: { 'en-us': 'Calm' } },
    );
    const arabic = await list().set('language', 'ar-eg');
    expect(arabic.body.data[0]).toMatchObject({ name: 'بحيرة', description: 'Calm' });
    expect(arabic.headers).toMatchObject({ 'content-language': 'ar-eg' });
    expect(arabic.headers['vary']).toContain('language');
    expect((await list()).body.data[0].name).toBe('Lake');
  });

  it('returns pages, an empty page past the end, and everything for all=1', async () => {
    for (const number of [1, 2, 3]) await add(`c${number}`, { createdAt: day(number) });
    const second = await list('?page=2&limit=2').expect(200);
    expect(names(second.body)).toEqual(['c1']);
    expect(second.body.pagination).toEqual({ count: 1, limit: 2, pages: 2, total: 3 });
    const past = await list('?page=9007199254740991&limit=100&unknown=1').expect(200);
    expect(past.body).toEqual({
      data: [],
      pagination: { count: 0, limit: 100, pages: 1, total: 3 },
    });
    const all = await list('?all=1&page=x&limit=1000').expect(200);
    expect(names(all.body)).toEqual(['c3', 'c2', 'c1']);
    expect(all.body.pagination).toEqual({ count: 3, limit: 3, pages: 1, total: 3 });
    expect(all.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(all.headers).not.toHaveProperty('etag');
    const none = await list('?all=1', other.key).expect(200);
    expect(none.body).toEqual({
      data: [],
      pagination: { count: 0, limit: 0, pages: 0, total: 0 },
    });
  });

  it('returns 401 Unauthorized when the key is missing or wrong', async () => {
    const errorBody = { statusCode: 401, message: 'Unauthorized', error: 'Unauthorized' };
    for (const path of ['/compounds', '/compounds/any/units']) {
      expect((await service.api('get', path).expect(401)).body).toEqual(errorBody);
      const wrong = service.api('get', path).set('api-key', 'wrong');
      expect((await wrong.expect(401)).body).toEqual(errorBody);
    }
  });
});

describe('polling GET /compounds', () => {
  it('returns changes since a time, oldest first, and deleted compounds on request', async () => {
    await add('before', { updatedAt: day(1) });
    await add('third', { updatedAt: day(4), createdAt: day(1) });
    await add('second', { updatedAt: day(3), isDeleted: true });
    await add('first', { updatedAt: day(2) });
    const since = `?updatedSince=${day(2).toISOString()}`;
    expect(names((await list(since)).body)).toEqual(['first', 'third']);
    const { body } = await list(`${since}&includeDeleted=1`);
    expect(names(body)).toEqual(['first', 'second', 'third']);
    expect(body.data.map((item: { isDeleted: boolean }) => item.isDeleted)).toEqual([
      false,
      true,
      false,
    ]);
    expect(names((await list(`${since}&includeDeleted=1&all=1`)).body)).toHaveLength(3);
  });

  it('returns x-updated-as-of early enough for late commits', async () => {
    const before = Date.now();
    const { headers } = await list();
    const asOf = Date.parse(headers['x-updated-as-of'] ?? '');
    expect(before - asOf).toBeGreaterThan(60_000);
    expect(before - asOf).toBeLessThan(600_000);
  });

  it('returns 304 until any program changes the compound or the organization', async () => {
    const _id = await add('Lake');
    const tagNow = async () => (await list().expect(200)).headers['etag'] ?? '';
    const tag = await tagNow();
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    const unchanged = await list().set('if-none-match', `"old", W/${tag}`).expect(304);
    expect(unchanged.text).toBe('');
    expect(unchanged.headers).toMatchObject({ etag: tag, 'x-updated-as-of': expect.any(String) });
    await service.db.collection('compounds').updateOne({ _id }, { $set: { area: 7 } });
    expect((await list().set('if-none-match', tag).expect(200)).body.data[0].area).toBe(7);
    const second = await tagNow();
    await service.db
      .collection('organizations')
      .updateOne({ _id: tenant.organizationId }, { $set: { logo: 'new.png' } });
    const changed = await list().set('if-none-match', second).expect(200);
    expect(changed.body.data[0].organization.logo).toBe('new.png');
    const arabic = await list()
      .set('language', 'ar-eg')
      .set('if-none-match', await tagNow());
    expect([200, 304]).toContain(arabic.status);
  });

  it.each(['br', 'gzip'])('returns %s with its own entity tag when requested', async (name) => {
    await add('Lake', { description: { 'en-us': 'calm '.repeat(400) } });
    const plain = await list().set('accept-encoding', 'identity').expect(200);
    const packed = await list().set('accept-encoding', name).expect(200);
    expect(packed.headers['content-encoding']).toBe(name);
    expect(packed.headers['vary']).toMatch(/language.*accept-encoding/i);
    expect(packed.headers['etag']).not.toBe(plain.headers['etag']);
    expect(packed.body).toEqual(plain.body);
    const tag = packed.headers['etag'] ?? '';
    const again = await list().set('accept-encoding', name).set('if-none-match', tag).expect(304);
    expect(again.headers).not.toHaveProperty('content-encoding');
  });

  it('returns small responses uncompressed', async () => {
    const { headers } = await list('', other.key).set('accept-encoding', 'gzip').expect(200);
    expect(headers).not.toHaveProperty('content-encoding');
  });
});
