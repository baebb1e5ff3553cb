import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { Decimal128 } from 'mongodb';
import { addTenant, conventions, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { addUnit, addUnitCatalogue, type Catalogue } from './catalogue.js';

const service = sharedService();
let tenant: Tenant;
let catalogue: Catalogue;

const day = (number: number) => new Date(Date.UTC(2026, 0, number));

beforeAll(async () => {
  tenant = await addTenant(service.db);
  const other = await addTenant(service.db);
  catalogue = await addUnitCatalogue(service.db, tenant.organizationId, { updatedAt: day(1) });
  const foreign = await addUnitCatalogue(service.db, other.organizationId);
  await addUnit(service.db, other.organizationId, foreign, { unitId: 'foreign' });
  const { phaseId, villaId, chaletId, designId, poolId, gymId } = catalogue;
  const units = [
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
  ];
  for (const [index, unit] of units.entries()) {
    const times = { createdAt: day(index + 1), updatedAt: day(20 - index) };
    await addUnit(service.db, tenant.organizationId, catalogue, { ...times, ...unit });
  }
});

const get = (path: string) => service.api('get', path).set('api-key', tenant.key);
const ids = async (query: string, language = 'en-us') => {
  const { body } = await get(`/units${query}`).set('language', language).expect(200);
  return body.data.map(({ unitId }: { unitId: string }) => unitId).join('');
};

describe('GET /units', () => {
  it('returns pages of populated units, newest first', async () => {
    const { body, headers } = await get('/units?limit=2&page=2').expect(200);
    expect(body.pagination).toEqual({ count: 1, limit: 2, pages: 2, total: 3 });
    expect(body.data).toMatchObject([
      { unitId: 'A', type: { slug: 'villa' }, phase: { slug: 'north' }, amenities: [{}, {}] },
    ]);
    expect(headers).toMatchObject({ etag: expect.any(String) });
    expect(await ids('?page=9007199254740991&limit=100')).toBe('');
  });

  it('returns units without a translated name first when sorted by name', async () => {
    expect(await ids('?sort=name', 'ar-eg')).toBe('CAB');
    expect(await ids('?sort=-name', 'ar-eg')).toBe('BAC');
  });

  it.each([
    ['', 'CBA'],
    ['sort=createdAt', 'ABC'],
    ['sort=-updatedAt', 'ABC'],
    ['sort=price', 'ABC'],
    ['sort=-price', 'CBA'],
    ['sort=bua,-beds', 'ACB'],
    ['sort=-beds', 'CBA'],
    ['sort=name', 'CBA'],
    ['sort=-unitId', 'CBA'],
    ['sort=-status,unitId', 'BAC'],
    ['status=Available', 'CA'],
    ['status=Available,Sold', 'CBA'],
    ['status=aVAILABLE', 'CA'],
    ['status=.*', ''],
    ['status=Availabl', ''],
    ['rentalStatus=RENTED,none', 'B'],
    ['saleType=Resale', 'B'],
    ['rentalStatus=Rented', 'B'],
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
    ['minPrice=200', 'CB'],
    ['maxPrice=200.5', 'BA'],
    ['minBua=51&maxBua=60', 'CB'],
    ['minBeds=2&maxBeds=2', 'B'],
    ['minPrice=300&maxPrice=100', ''],
    ['includeDeleted=1', 'DCBA'],
    ['includeDeleted=0', 'CBA'],
    ['updatedSince=2026-01-19', 'BA'],
    ['updatedSince=2026-01-17T00:00:00.000Z', 'CBA'],
    ['updatedSince=2026-01-17T02:00:00%2B02:00&includeDeleted=1', 'DCBA'],
    ['updatedSince=2026-01-17&includeDeleted=1&sort=price,unitId', 'DABC'],
    ['status=Available&propertyType=villa&minPrice=200', 'C'],
  ])('returns for %s the units %s', async (query, found) => {
    expect(await ids(`?${query}`)).toBe(found);
  });
});

describe('GET /units/export/all', () => {
  const columns = (text: string) => parse<Record<string, string>>(text, { columns: true });

  it('returns JSON with the filters and order of the list', async () => {
    const { body, headers } = await get('/units/export/all?status=Available&sort=price').expect(
      200,
    );
    expect(body.pagination).toEqual({ count: 2, limit: 10_000, pages: 1, total: 2 });
    expect(body.data).toMatchObject([
      { unitId: 'A', phase: { name: 'North' } },
      { unitId: 'C', phase: null },
    ]);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-total-count': '2',
      'x-updated-as-of': expect.any(String),
    });
    expect(headers['vary']).toMatch(/accept/);
    expect(headers).not.toHaveProperty('x-truncated');
    expect(headers).not.toHaveProperty('etag');
  });

  it('returns CSV in the language of the request', async () => {
    const response = await get('/units/export/all?sort=unitId')
      .set('accept', 'text/csv; charset=UTF-8; header=present, application/json;q=0.5')
      .set('language', 'ar-eg')
      .expect(200);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    const rows = columns(response.text);
    expect(rows.map(({ unitId }) => unitId)).toEqual(['A', 'B', 'C']);
    expect(rows[0]).toMatchObject({
      recordSystemId: 'erp-a',
      name: 'ج',
      price: '100',
      type: 'فيلا',
      phase: 'الشمال',
      amenities: 'حمام سباحة|Gym',
      showForBrokers: 'false',
    });
    expect([rows[1]?.['price'], rows[2]?.['name']]).toEqual(['200.5', "'=1+1"]);
  });

  it('returns CSV with quoted line breaks, escaped formulas and the compound', async () => {
    const own = await addTenant(service.db);
    const parts = await addUnitCatalogue(service.db, own.organizationId);
    const names = [
      'a\nb',
      'a\rb',
      'a\r\nb',
      '\n=1+1',
      'a\n=1+1',
      'a\r@x',
      'a\u2028+1',
      '-1',
      '="x",1',
      'a;=1+1',
      'a,+1;-1',
      'a\t@x',
    ];
    for (const [index, name] of names.entries()) {
      await addUnit(service.db, own.organizationId, parts, {
        unitId: String.fromCodePoint(97 + index),
        name: { 'en-us': name },
        price: -5,
        ...(index === 8 ? { compoundId: null } : {}),
      });
    }
    const path = '/units/export/all?format=csv&sort=unitId';
    const { text, headers } = await service.api('get', path).set('api-key', own.key).expect(200);
    expect(headers['content-disposition']).toBe('attachment; filename="units.csv"');
    const rows = parse<Record<string, string>>(text, { columns: true, record_delimiter: '\r\n' });
    expect(rows.map(({ name }) => name)).toEqual([
      'a\nb',
      'a\rb',
      'a\r\nb',
      "\n'=1+1",
      "a\n'=1+1",
      "a\r'@x",
      "a\u2028'+1",
      "'-1",
      '\'="x",1',
      "a;'=1+1",
      "a,'+1;'-1",
      "a\t'@x",
    ]);
    expect(rows.slice(7, 9)).toMatchObject([
      { price: '-5', compound: 'Lake', compoundId: parts.compoundId.toHexString() },
      { price: '-5', compound: '', compoundId: '' },
    ]);
    // Outside of quotes there is no line break but the one at the end of a row.
    const unquoted = text.replaceAll(/"(?:[^"]|"")*"/g, '');
    expect(unquoted.replaceAll('\r\n', '')).not.toMatch(/[\r\n\u2028]/);
    expect(text.startsWith('_id,')).toBe(true);
    const marked = await service.api('get', `${path}&bom=1`).set('api-key', own.key).expect(200);
    expect(marked.text).toBe(`\uFEFF${text}`);
    const json = await service
      .api('get', '/units/export/all?bom=1')
      .set('api-key', own.key)
      .expect(200);
    expect(json.headers['content-disposition']).toBe('attachment; filename="units.json"');
    expect(json.body.data).toHaveLength(names.length);
  });

  it('returns CSV with values of any stored type as in JSON', async () => {
    const own = await addTenant(service.db);
    const unit = {
      ...conventions(own.organizationId),
      unitId: 'odd',
      listingType: [
        JSON.parse('{"toString":1}'),
        { a: [1], name: 5 },
        ['x'],
        null,
        true,
        Decimal128.fromString('1.50'),
        day(1),
        'sale',
      ],
    };
    await service.db.collection('units').insertOne(unit, { bypassDocumentValidation: true });
    const { text } = await service
      .api('get', '/units/export/all?format=csv')
      .set('api-key', own.key)
      .expect(200);
    expect(columns(text)[0]).toMatchObject({
      unitId: 'odd',
      listingType:
        '{"toString":1}|{"a":[1],"name":5}|["x"]|null|true|1.5|2026-01-01T00:00:00.000Z|sale',
    });
  });

  it('returns NDJSON for format=ndjson regardless of Accept', async () => {
    const response = await get('/units/export/all?format=ndjson&sort=unitId')
      .set('accept', 'text/csv')
      .buffer(true)
      .parse((stream, done) => {
        let text = '';
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        stream.on('end', () => done(null, text));
      });
    expect(response.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const lines = String(response.body).split('\n');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line).unitId)).toEqual(['A', 'B', 'C']);
    expect(lines.at(-1)).toBe('');
  });

  it('returns an empty export when nothing matches', async () => {
    const csv = await get('/units/export/all?format=csv&status=None').expect(200);
    expect(columns(csv.text)).toEqual([]);
    expect(csv.text).toMatch(/^_id,unitId,/);
    const json = await get('/units/export/all?status=None').expect(200);
    expect(json.body).toEqual({
      data: [],
      pagination: { count: 0, limit: 10_000, pages: 0, total: 0 },
    });
    await get('/units/export/all?format=ndjson&status=None').expect(200);
  });
});

describe('GET /units with unusual values', () => {
  beforeAll(async () => {
    tenant = await addTenant(service.db);
    const { organizationId } = tenant;
    catalogue = await addUnitCatalogue(service.db, organizationId);
    const units = [
      { unitId: 'A,1', status: 'On hold, VIP', price: 5 },
      { unitId: 'B', status: 'ÉTAT LIBRE', price: 0 },
      { unitId: 'C', status: 'on hold', price: null },
      { unitId: 'D', status: 'VIP', price: 0 },
      { unitId: 'E', price: new Decimal128('2.5') },
    ];
    for (const [index, unit] of units.entries()) {
      const times = { createdAt: day(index + 1), updatedAt: day(index + 1) };
      await addUnit(service.db, organizationId, catalogue, { ...times, ...unit });
    }
  });

  it.each([
    ['status=on%20hold', 'C'],
    ['status=on%20hold%5C,%20vip', 'A,1'],
    ['status=vip,on%20hold%5C,%20vip', 'DA,1'],
    ['status=%C3%A9tat%20libre', 'B'],
    ['unitId=A%5C,1,B', 'BA,1'],
    ['unitId=a%5C,1', ''],
    ['maxPrice=3', 'EDCB'],
    ['maxPrice=0', 'DCB'],
    ['minPrice=0&maxPrice=2', 'DCB'],
    ['minPrice=1', 'EA,1'],
    ['maxBua=10&minBeds=0', 'EDCBA,1'],
    ['sort=price', 'CBDEA,1'],
    ['sort=-price', 'A,1EDBC'],
    ['sort=beds,-price', 'A,1EDBC'],
  ])('returns for %s the units %s', async (query, found) => {
    expect(await ids(`?${query}`)).toBe(found);
  });

  it.each(['/units?', '/units/export/all?', '/units/export/all?format=csv&'])(
    'returns 400 for %s when a unit has lists in two sort fields',
    async (path) => {
      const own = await addTenant(service.db);
      const unit = { ...conventions(own.organizationId), unitId: 'L', price: [2, 1], bua: [4, 3] };
      await service.db.collection('units').insertOne(unit, { bypassDocumentValidation: true });
      const send = (sort: string) =>
        service.api('get', `${path}sort=${sort}`).set('api-key', own.key);
      const { headers, body } = await send('price,-bua').expect(400);
      expect(headers['x-error-code']).toBe('unit.unsortable');
      expect(body.message).toEqual([
        'a unit holds lists in two of the fields price,-bua: sort by one of them',
      ]);
      await send('price,beds').expect(200);
      await send('-bua').expect(200);
    },
  );

  it('exports the same units and rejects unknown names', async () => {
    const { body } = await get('/units/export/all?maxPrice=0&sort=price').expect(200);
    expect(body.data).toMatchObject(['C', 'B', 'D'].map((unitId) => ({ unitId, price: 0 })));
    const { headers } = await get('/units/export/all?propertyType=castle').expect(400);
    expect(headers['x-error-code']).toBe('unit.unknown_name');
  });
});
