import { beforeEach, describe, expect, it } from '@jest/globals';
import { Decimal128, type Document, Long, ObjectId } from 'mongodb';
import { addCompound } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

beforeEach(async () => {
  tenant = await service.addTenant();
});

const list = (query = '') => tenant.get(`/compounds${query}`).expect(200);
const add = (english: string, overrides: Document = {}) =>
  tenant.add(addCompound, { 'en-us': english }, overrides);
const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const namesOf = ({ body }: { body: { data: { name: string }[] } }) =>
  body.data.map(({ name }) => name);

const fieldsWith = (value: unknown, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));
const booleanFields =
  'showOnMap isPublished isPublic mapHealthCheck isNewLaunch allowPriceRange ' +
  'showInLeadFeedback isAdminOnly showInEcommerce';

describe('GET /compounds', () => {
  it('returns every field with its type when almost none is stored', async () => {
    const id = await add('Bare', { slug: 'bare', area: null, media: null });
    const { body } = await list();
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    const organizationId = tenant.organizationId.toHexString();
    const logo = 'https://cdn.example.com/logo.png';
    expect(body.data).toEqual([
      {
        ...fieldsWith('', 'type mainImageUrl mainBannerUrl logo saleType description'),
        ...fieldsWith(false, `isDeleted ${booleanFields}`),
        ...fieldsWith([], 'media constructionUpdates brochures EOIUnitTypes EOIUnitPreferences'),
        ...fieldsWith([], 'EOIForm offerJsons commercialBuildingsOrder'),
        ...fieldsWith(0, 'area numberOfUnits __v'),
        _id: id.toHexString(),
        organizationId,
        name: 'Bare',
        slug: 'bare',
        mainBrochure: { dateUploaded: '', name: '', url: '' },
        createdAt: time,
        updatedAt: time,
        organization: { _id: organizationId, name: 'Nile Homes', logo },
      },
    ]);
    expect(body.pagination).toEqual({ count: 1, limit: 10, pages: 1, total: 1 });
  });

  it('returns only documented fields, and large integers as JSON numbers', async () => {
    const brochure = { dateUploaded: day(2), name: 'Plan', url: 'https://cdn.example.com/p.pdf' };
    const image = { image: 'https://cdn.example.com/a.jpg', type: 'image' };
    const unitType = new ObjectId();
    await add('Full', {
      ...fieldsWith(true, booleanFields),
      area: Decimal128.fromString('1200.5'),
      numberOfUnits: Long.fromNumber(40),
      media: [{ ...image, hidden: 1 }],
      mainBrochure: brochure,
      brochures: [brochure],
      EOIUnitTypes: [unitType, { since: day(3) }],
      secret: 'internal',
      saleType: 'resale',
    });
    const { body } = await list();
    const shownBrochure = { ...brochure, dateUploaded: day(2).toISOString() };
    expect(body.data[0]).toMatchObject({
      ...fieldsWith(true, booleanFields),
      area: 1200.5,
      numberOfUnits: 40,
      media: [image],
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
    await (await service.addTenant()).add(addCompound, { 'en-us': 'foreign' });
    expect(namesOf(await list())).toEqual(['second', 'first', 'old']);
  });

  it('returns the requested language, or en-us when a translation is missing', async () => {
    const description = { 'en-us': 'Calm' };
    await tenant.add(addCompound, { 'en-us': 'Lake', 'ar-eg': 'بحيرة' }, { description });
    const { body, headers } = await list().set('language', 'ar-eg');
    expect(body.data).toMatchObject([{ name: 'بحيرة', description: 'Calm' }]);
    expect(headers).toMatchObject({ 'content-language': 'ar-eg' });
    expect(headers['vary']).toContain('language');
    expect(namesOf(await list())).toEqual(['Lake']);
  });

  it('returns pages, an empty page past the end, and everything for all=1', async () => {
    const none = await list('?all=1');
    const [empty, full] = [
      { count: 0, limit: 0, pages: 0, total: 0 },
      { count: 3, limit: 3, pages: 1, total: 3 },
    ];
    expect(none.body).toEqual({ data: [], pagination: empty });
    for (const number of [1, 2, 3]) await add(`c${number}`, { createdAt: day(number) });
    const second = await list('?page=2&limit=2');
    expect(namesOf(second)).toEqual(['c1']);
    expect(second.body.pagination).toEqual({ count: 1, limit: 2, pages: 2, total: 3 });
    const beyondLast = await list('?page=9007199254740991&limit=100&unknown=1');
    expect(beyondLast.body).toEqual({
      data: [],
      pagination: { count: 0, limit: 100, pages: 1, total: 3 },
    });
    const all = await list('?all=1&page=x&limit=1000');
    expect(namesOf(all)).toEqual(['c3', 'c2', 'c1']);
    expect(all.body.pagination).toEqual(full);
    expect(all.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(all.headers).not.toHaveProperty('etag');
  });

  it.each(['/compounds', '/compounds/any/units'])(
    'returns 401 Unauthorized for %s when the key is missing or wrong',
    async (path) => {
      const denied = { statusCode: 401, message: 'Unauthorized', error: 'Unauthorized' };
      expect((await service.api('get', path).expect(401)).body).toEqual(denied);
      expect((await tenant.with('wrong').get(path).expect(401)).body).toEqual(denied);
    },
  );
});

describe('polling GET /compounds', () => {
  it('returns changes since a time, oldest first, and deleted compounds on request', async () => {
    await add('before', { updatedAt: day(1) });
    await add('third', { updatedAt: day(4), createdAt: day(1) });
    await add('second', { updatedAt: day(3), isDeleted: true });
    await add('first', { updatedAt: day(2) });
    const since = `?updatedSince=${day(2).toISOString()}`;
    expect(namesOf(await list(since))).toEqual(['first', 'third']);
    const { body } = await list(`${since}&includeDeleted=1`);
    expect(body.data).toMatchObject([
      { name: 'first', isDeleted: false },
      { name: 'second', isDeleted: true },
      { name: 'third', isDeleted: false },
    ]);
    expect((await list(`${since}&includeDeleted=1&all=1`)).body.data).toHaveLength(3);
  });

  it('returns 304 until any program changes the compound or the organization', async () => {
    await add('Lake');
    const poll = (tag: string) => tenant.get('/compounds').set('if-none-match', tag);
    const currentTag = async () => (await list()).headers['etag'] ?? '';
    const tag = await currentTag();
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    const { text, headers } = await poll(`"old", W/${tag}`).expect(304);
    expect(text).toBe('');
    expect(headers).toMatchObject({ etag: tag, 'x-updated-as-of': expect.any(String) });
    await tenant.set('compounds', {}, { area: 7 });
    expect((await poll(tag).expect(200)).body.data).toMatchObject([{ area: 7 }]);
    const second = await currentTag();
    const organization = { logo: 'new.png' };
    const _id = tenant.organizationId;
    await service.db.collection('organizations').updateOne({ _id }, { $set: organization });
    expect((await poll(second).expect(200)).body.data).toMatchObject([{ organization }]);
  });

  it.each(['br', 'gzip'])('returns %s with its own entity tag when requested', async (name) => {
    await add('Lake', { description: { 'en-us': 'calm '.repeat(400) } });
    const plain = await list().set('accept-encoding', 'identity');
    const encoded = await list().set('accept-encoding', name);
    expect(encoded.headers['content-encoding']).toBe(name);
    expect(encoded.headers['vary']).toMatch(/language.*accept-encoding/i);
    expect(encoded.headers['etag']).not.toBe(plain.headers['etag']);
    expect(encoded.body).toEqual(plain.body);
    const conditions = { 'accept-encoding': name, 'if-none-match': encoded.headers['etag'] ?? '' };
    const again = await tenant.get('/compounds').set(conditions).expect(304);
    expect(again.headers).not.toHaveProperty('content-encoding');
  });

  it('returns small responses uncompressed', async () => {
    const { headers } = await list().set('accept-encoding', 'gzip');
    expect(headers).not.toHaveProperty('content-encoding');
  });
});
