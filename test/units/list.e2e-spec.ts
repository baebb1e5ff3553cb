import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { Decimal128, type Document } from 'mongodb';
import { addUnit as addReservableUnit, conventions } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { addUnit, addUnitCatalogue, type Catalogue } from './catalogue.js';

const service = sharedService();
const exportPath = '/units/export/all';
let tenant: TenantApi;

const day = (number: number) => new Date(Date.UTC(2026, 0, number));

/** Writes units a day apart, the oldest first. Their updates are in the opposite order. */
async function addUnits(units: (parts: Catalogue) => Document[]): Promise<void> {
  tenant = await service.addTenant();
  const parts = await tenant.add(addUnitCatalogue, { updatedAt: day(1) });
  for (const [index, unit] of units(parts).entries()) {
    const times = { createdAt: day(index + 1), updatedAt: day(20 - index) };
    await tenant.add(addUnit, parts, { ...times, ...unit });
  }
}

/** Writes a unit with values that the validator refuses. */
async function addOddUnit(fields: Document): Promise<TenantApi> {
  const own = await service.addTenant();
  const unit = { ...conventions(own.organizationId), ...fields };
  await service.db.collection('units').insertOne(unit, { bypassDocumentValidation: true });
  return own;
}

const listIds = async (query: string) => {
  const { body } = await tenant.get(`/units${query}`).expect(200);
  return body.data.map(({ unitId }: { unitId: string }) => unitId).join('');
};
const rowsOf = (text: string) =>
  parse<Record<string, string>>(text, { columns: true, record_delimiter: '\r\n' });

describe('GET /units', () => {
  beforeAll(async () => {
    const other = await service.addTenant();
    await other.add(addUnit, await other.add(addUnitCatalogue), { unitId: 'foreign' });
    await addUnits(({ phaseId, villaId, chaletId, designId, poolId, gymId }) => [
      {
        unitId: 'A',
        recordSystemId: 'erp-a',
        name: { 'en-us': 'Charlie', 'ar-eg': 'ج' },
        status: 'Available',
        rentalStatus: 'Unavailable',
        saleType: 'primary',
        price: 100,
        bua: 50,
        beds: 1,
        propertyTypeId: villaId,
        locationId: phaseId,
        amenitiesIds: [poolId, gymId],
      },
      {
        unitId: 'B',
        name: { 'en-us': 'Alpha', 'ar-eg': 'ي' },
        status: 'Sold',
        rentalStatus: 'Rented',
        saleType: 'resale',
        price: 200.5,
        bua: 60,
        beds: 2,
        propertyTypeId: chaletId,
        unitDesignId: designId,
        amenitiesIds: [gymId],
      },
      {
        unitId: 'C',
        name: { 'en-us': '=1+1' },
        status: 'Available',
        price: 300,
        bua: 60,
        beds: 3,
        propertyTypeId: villaId,
      },
      { unitId: 'D', name: { 'en-us': 'Gone' }, status: 'Available', isDeleted: true },
    ]);
  });

  it('returns pages of populated units, newest first', async () => {
    const { body } = await tenant.get('/units?limit=2&page=2').expect(200).expect('etag', /./);
    expect(body.pagination).toEqual({ count: 1, limit: 2, pages: 2, total: 3 });
    expect(body.data).toMatchObject([
      { unitId: 'A', type: { slug: 'villa' }, phase: { slug: 'north' }, amenities: [{}, {}] },
    ]);
    expect(await listIds('?page=9007199254740991&limit=100')).toBe('');
  });

  it.each([
    ['', 'CBA'],
    ['sort=-status,unitId', 'BAC'],
    ['status=Available', 'CA'],
    ['status=Available,Sold', 'CBA'],
    ['status=aVAILABLE', 'CA'],
    ['status=.*', ''],
    ['rentalStatus=RENTED,none', 'B'],
    ['saleType=Resale', 'B'],
    ['saleType=resale,primary', 'BA'],
    ['propertyType=VILLA', 'CA'],
    ['propertyType=beach%20chalet', 'B'],
    [`propertyType=${encodeURIComponent('فيلا')},chalet`, 'CBA'],
    ['compound=LAKE', 'CBA'],
    ['phase=north', 'A'],
    ['unitDesign=Garden-Villa', 'B'],
    ['unitId=A,C', 'CA'],
    ['recordSystemId=erp-a', 'A'],
    ['amenities=gym', 'BA'],
    [`amenities=GYM,${encodeURIComponent('حمام سباحة')}`, 'A'],
    ['amenities=gym,sauna', ''],
    ['maxPrice=200.5', 'BA'],
    ['minBua=51&maxBua=60', 'CB'],
    ['minBeds=2&maxBeds=2', 'B'],
    ['minPrice=300&maxPrice=100', ''],
    ['includeDeleted=1', 'DCBA'],
    ['updatedSince=2026-01-19', 'BA'],
    ['updatedSince=2026-01-17T00:00:00.000Z', 'CBA'],
    ['updatedSince=2026-01-17T02:00:00%2B02:00&includeDeleted=1', 'DCBA'],
    ['updatedSince=2026-01-17&includeDeleted=1&sort=price,unitId', 'DABC'],
    ['status=Available&propertyType=villa&minPrice=200', 'C'],
  ])('with %j returns the units %j', async (query, found) => {
    expect(await listIds(`?${query}`)).toBe(found);
  });

  it('exports JSON with the filters and order of the list', async () => {
    const { body, headers } = await tenant
      .get(`${exportPath}?status=Available&sort=price`)
      .expect(200);
    expect(body.pagination).toEqual({ count: 2, limit: 10_000, pages: 1, total: 2 });
    expect(body.data).toMatchObject([
      { unitId: 'A', phase: { name: 'North' } },
      { unitId: 'C', phase: null },
    ]);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-total-count': '2',
      'x-updated-as-of': expect.any(String),
      vary: expect.stringContaining('accept'),
    });
    expect(headers).not.toHaveProperty('x-truncated');
    expect(headers).not.toHaveProperty('etag');
  });

  it('exports CSV in the language of the request', async () => {
    const { text } = await tenant
      .get(`${exportPath}?sort=unitId`)
      .set('accept', 'text/csv; charset=UTF-8; header=present, application/json;q=0.5')
      .set('language', 'ar-eg')
      .expect(200)
      .expect('content-type', 'text/csv; charset=utf-8');
    expect(rowsOf(text)).toMatchObject([
      {
        unitId: 'A',
        recordSystemId: 'erp-a',
        name: 'ج',
        price: '100',
        type: 'فيلا',
        phase: 'الشمال',
        amenities: 'حمام سباحة|Gym',
        showForBrokers: 'false',
      },
      { unitId: 'B', price: '200.5' },
      { unitId: 'C', name: "'=1+1" },
    ]);
  });

  it('exports NDJSON for format=ndjson regardless of Accept', async () => {
    const { body } = await tenant
      .get(`${exportPath}?format=ndjson&sort=unitId`)
      .set('accept', 'text/csv')
      .buffer(true)
      .parse((stream, done) => {
        let text = '';
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        stream.on('end', () => done(null, text));
      })
      .expect('content-type', 'application/x-ndjson; charset=utf-8');
    const lines = String(body).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line).unitId)).toEqual(['A', 'B', 'C']);
  });

  it('exports NDJSON that readers of any line break can split', async () => {
    const own = await service.addTenant();
    const names = ['\u{85}', '\u{2028}', '\u{2029}'].map((mark) => `a${mark}b`);
    for (const english of names) {
      await own.add(addReservableUnit, { name: { 'en-us': english } });
    }
    const { text } = await own.get(`${exportPath}?format=ndjson`).buffer(true).expect(200);
    const lines = text.split(/[\n\r\v\f\u{85}\u{2028}\u{2029}]/u);
    expect(lines.pop()).toBe('');
    const exported = lines.map((line) => (JSON.parse(line) as { name: string }).name);
    expect(exported.toSorted()).toEqual(names.toSorted());
  });

  it('exports no units when nothing matches', async () => {
    const { text } = await tenant.get(`${exportPath}?format=csv&status=None`).expect(200);
    expect(text).toMatch(/^_id,unitId,[^\n]*\n$/);
    const json = await tenant.get(`${exportPath}?status=None`).expect(200);
    const pagination = { count: 0, limit: 10_000, pages: 0, total: 0 };
    expect(json.body).toEqual({ data: [], pagination });
    await tenant.get(`${exportPath}?format=ndjson&status=None`).expect(200);
  });
});

describe('an export of units as CSV', () => {
  it('has quoted line breaks, escaped formulas and the compound', async () => {
    const names: [stored: string, exported: string][] = [
      ['a\nb', 'a\nb'],
      ['a\rb', 'a\rb'],
      ['a\r\nb', 'a\r\nb'],
      ['\n=1+1', "\n'=1+1"],
      ['a\n=1+1', "a\n'=1+1"],
      ['a\r@x', "a\r'@x"],
      ['a\u2028+1', "a\u2028'+1"],
      ['-1', "'-1"],
      ['="x",1', '\'="x",1'],
      ['a;=1+1', "a;'=1+1"],
      ['a,+1;-1', "a,'+1;'-1"],
      ['a\t@x', "a\t'@x"],
    ];
    await addUnits(() => [
      { unitId: 'none', compoundId: null, price: -5 },
      ...names.map(([name]) => ({ name: { 'en-us': name } })),
    ]);
    const path = `${exportPath}?format=csv&sort=createdAt`;
    const { text } = await tenant
      .get(path)
      .expect(200)
      .expect('content-disposition', 'attachment; filename="units.csv"');
    const [withoutCompound, ...rows] = rowsOf(text);
    expect(rows.map(({ name }) => name)).toEqual(names.map(([, exported]) => exported));
    expect(withoutCompound).toMatchObject({ price: '-5', compound: '', compoundId: '' });
    expect(rows[0]).toMatchObject({ compound: 'Lake', compoundId: expect.stringMatching(/./) });
    // Outside quotes, a line break only ends a row.
    const unquoted = text.replaceAll(/"(?:[^"]|"")*"/g, '');
    expect(unquoted.replaceAll('\r\n', '')).not.toMatch(/[\r\n\u2028]/);
    expect((await tenant.get(`${path}&bom=1`).expect(200)).text).toBe(`\uFEFF${text}`);
    const json = await tenant
      .get(`${exportPath}?bom=1`)
      .expect(200)
      .expect('content-disposition', 'attachment; filename="units.json"');
    expect(json.body.data).toHaveLength(names.length + 1);
  });

  it('has values of any stored type as in JSON', async () => {
    const odd = [
      JSON.parse('{"toString":1}'),
      { a: [1], name: 5 },
      ['x'],
      null,
      true,
      Decimal128.fromString('1.50'),
      day(1),
      'sale',
    ];
    const own = await addOddUnit({ unitId: 'odd', listingType: odd });
    const { text } = await own.get(`${exportPath}?format=csv`).expect(200);
    const listingType =
      '{"toString":1}|{"a":[1],"name":5}|["x"]|null|true|1.5|2026-01-01T00:00:00.000Z|sale';
    expect(rowsOf(text)).toMatchObject([{ unitId: 'odd', listingType }]);
  });
});

describe('GET /units with unusual values', () => {
  beforeAll(() =>
    addUnits(() => [
      { unitId: 'A,1', status: 'On hold, VIP', price: 5 },
      { unitId: 'B', status: 'ÉTAT LIBRE', price: 0 },
      { unitId: 'C', status: 'on hold', price: null },
      { unitId: 'D', status: 'VIP', price: 0 },
      { unitId: 'E', price: new Decimal128('2.5') },
    ]),
  );

  it.each([
    ['status=on%20hold', 'C'],
    ['status=on%20hold%5C,%20vip', 'A,1'],
    ['status=vip,on%20hold%5C,%20vip', 'DA,1'],
    ['status=%C3%A9tat%20libre', 'B'],
    ['unitId=A%5C,1,B', 'BA,1'],
    ['unitId=a%5C,1', ''],
    ['maxPrice=3', 'EDCB'],
    ['minPrice=0&maxPrice=2', 'DCB'],
    ['minPrice=1', 'EA,1'],
    ['maxBua=10&minBeds=0', 'EDCBA,1'],
  ])('with %j returns the units %j', async (query, found) => {
    expect(await listIds(`?${query}`)).toBe(found);
  });

  it('exports the same units and refuses unknown names', async () => {
    const { body } = await tenant.get(`${exportPath}?maxPrice=0&sort=price`).expect(200);
    expect(body.data).toMatchObject(['C', 'B', 'D'].map((unitId) => ({ unitId, price: 0 })));
    await tenant
      .get(`${exportPath}?propertyType=castle`)
      .expect(400)
      .expect('x-error-code', 'unit.unknown_name');
  });

  it.each(['/units?', `${exportPath}?`, `${exportPath}?format=csv&`])(
    'returns 400 for %s when a unit has lists in two sort fields',
    async (path) => {
      const own = await addOddUnit({ unitId: 'L', price: [2, 1], bua: [4, 3] });
      const { body } = await own
        .get(`${path}sort=price,-bua`)
        .expect(400)
        .expect('x-error-code', 'unit.unsortable');
      const message =
        'A unit has a list in two of the sort fields price,-bua: sort by only one of these';
      expect(body.message).toEqual([message]);
      await own.get(`${path}sort=price,beds`).expect(200);
      await own.get(`${path}sort=-bua`).expect(200);
    },
  );
});
