import { beforeAll, describe, expect, it } from '@jest/globals';
import { Binary, BSONRegExp, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';
import { addCompound, addKey, addTenant, conventions, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { addUnit, addUnitCatalogue, type Catalogue } from '../units/catalogue.js';

const service = sharedService();
let tenant: Tenant;
let catalogue: Catalogue;

const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const midJanuary = '2026-01-15T00:00:00.000Z';

/** The units are in order of id, which breaks the tie between the equal times of the 20th. */
const units = [
  { price: 5, updatedAt: day(20), name: { 'en-us': 'b', 'ar-eg': 'س' } },
  { price: null, updatedAt: day(20), name: { 'en-us': 'a' } },
  { updatedAt: day(20), name: null },
  { price: Decimal128.fromString('7.5'), updatedAt: day(21), name: { 'en-us': 'c' } },
  { price: 5, updatedAt: day(1), isDeleted: true, deletedAt: day(22) },
  { price: 5, updatedAt: day(2), deletedAt: day(3), isDeleted: true },
  { price: 7, updatedAt: day(16), name: { 'en-us': 'a', 'ar-eg': '' } },
];

beforeAll(async () => {
  tenant = await addTenant(service.db);
  catalogue = await addUnitCatalogue(service.db, tenant.organizationId, { updatedAt: day(1) });
  for (const [index, unit] of units.entries()) {
    await addUnit(service.db, tenant.organizationId, catalogue, {
      _id: new ObjectId(`6740b1f2c3d4${index}${tenant.organizationId.toHexString().slice(13)}`),
      unitId: String(index),
      createdAt: day(index + 1),
      ...unit,
    });
  }
  for (const number of [1, 2, 3]) {
    const times = { createdAt: day(number), updatedAt: day(20 - number) };
    await addCompound(service.db, tenant.organizationId, { 'en-us': `c${number}` }, times);
  }
});

const get = (path: string, key = tenant.key, language = 'en-us') =>
  service.api('get', path).set('api-key', key).set('language', language);

/** Returns the unit ids of each page, and the different totals. */
async function readAll(path: string, language = 'en-us') {
  const pages: string[] = [];
  const totals = new Set<number>();
  for (let after: string | null = ''; after !== null;) {
    const cursor: string = after === '' ? '' : `&after=${after}`;
    const { body, headers } = await get(`${path}${cursor}`, tenant.key, language).expect(200);
    const found = body.data.map(({ unitId, name }: Record<string, string>) => unitId ?? name);
    pages.push(found.join(''));
    totals.add(body.pagination.total);
    after = body.pagination.next;
    expect(headers['x-next-cursor'] ?? null).toBe(after);
    expect('x-updated-as-of' in headers).toBe(after === null);
  }
  return { pages, totals: [...totals] };
}

describe('cursor pagination', () => {
  it.each([
    [`/units?limit=2&updatedSince=${midJanuary}`, ['60', '12', '3']],
    [`/units?limit=2&updatedSince=${midJanuary}&includeDeleted=1`, ['46', '01', '23']],
    [`/units?limit=100&updatedSince=${midJanuary}&includeDeleted=1`, ['460123']],
    ['/units?limit=2&updatedSince=2026-01-25', ['']],
    [`/compounds?limit=1&updatedSince=2026-01-17`, ['c3', 'c2', 'c1']],
  ])('returns the changes of %s in order of updatedAt and id', async (path, pages) => {
    const read = await readAll(path);
    expect(read.pages).toEqual(pages);
    expect(read.totals).toEqual([pages.join('').replaceAll('c', '').length]);
  });

  it.each(['price', '-price', 'name', '-name', '-unitId', 'price,-name', '-status,bua,price'])(
    'returns every unit once in the order %s',
    async (sort) => {
      for (const language of ['en-us', 'ar-eg']) {
        const path = `/units?includeDeleted=1&updatedSince=2020-01-01&sort=${sort}`;
        const [whole = ''] = (await readAll(`${path}&limit=100`, language)).pages;
        expect(whole).toHaveLength(units.length);
        const { pages } = await readAll(`${path}&limit=1`, language);
        expect(pages.join('')).toBe(whole);
      }
    },
  );

  it('returns everything in order of ids from after=0', async () => {
    const { body } = await get('/units?limit=3&after=0&includeDeleted=1').expect(200);
    expect(body.pagination).toMatchObject({ count: 3, limit: 3, pages: 3, total: 7 });
    const next = await get(`/units?limit=100&includeDeleted=1&after=${body.pagination.next}`);
    const ids = [...body.data, ...next.body.data].map(({ unitId }) => unitId);
    expect(ids.join('')).toBe('0123456');
    expect(next.body.pagination).toEqual({ count: 4, limit: 100, pages: 1, total: 7, next: null });
    const first = await get('/compounds?after=0&limit=1').expect(200);
    const rest = await get(`/compounds?all=1&after=${first.body.pagination.next}`).expect(200);
    const all = await get('/compounds?all=1&after=0').expect(200);
    expect([...first.body.data, ...rest.body.data]).toEqual(all.body.data);
    expect(all.body.data).toHaveLength(4);
    expect(all.body.pagination.next).toBeNull();
    expect(all.headers).toHaveProperty('x-updated-as-of');
  });

  it('returns x-updated-as-of from before its start, but not on numbered pages', async () => {
    const first = await get('/units?limit=2&after=0').expect(200);
    const last = await get(`/units?limit=100&after=${first.body.pagination.next}`).expect(200);
    expect(last.headers['x-updated-as-of']).toBe(new Date(day(22).getTime() + 1).toISOString());
    const before = Date.now();
    const whole = await get('/units?limit=100&after=0').expect(200);
    const asOf = Date.parse(whole.headers['x-updated-as-of'] ?? '') + 120_000;
    expect(asOf).toBeGreaterThanOrEqual(before - 1_000);
    expect(asOf).toBeLessThanOrEqual(Date.now());
    for (const path of ['/units', '/compounds', `/units?updatedSince=2020-01-01&sort=price`]) {
      const mark = path.includes('?') ? '&' : '?';
      expect((await get(path)).headers).toHaveProperty('x-updated-as-of');
      for (const page of [1, 2]) {
        const { headers } = await get(`${path}${mark}limit=3&page=${page}`).expect(200);
        expect(headers).not.toHaveProperty('x-updated-as-of');
      }
    }
    const { body, headers } = await get('/units?limit=1').expect(200);
    expect(body.pagination).toEqual({ count: 1, limit: 1, pages: 5, total: 5 });
    expect(headers).not.toHaveProperty('x-next-cursor');
  });

  it('refuses a cursor of another request', async () => {
    const path = `/units?limit=1&updatedSince=${midJanuary}`;
    const { body } = await get(path).expect(200);
    const after = `after=${body.pagination.next}`;
    await get(`${path}&${after}`).expect(200);
    await get(`/units?limit=9&updatedSince=2026-01-15T02:00:00%2B02:00&${after}`).expect(200);
    const other = await addTenant(service.db);
    const refused: [string, string?][] = [
      [`${path}&includeDeleted=1&${after}`],
      [`${path}&minPrice=1&${after}`],
      [`${path}&sort=price&${after}`],
      [`/units?limit=1&updatedSince=2026-01-14&${after}`],
      [`/units?${after}`],
      [`/compounds?updatedSince=${midJanuary}&${after}`],
      [`${path}&${after}`, other.key],
      [`${path}&${after}&page=2`],
      ['/units?after=0&page=2'],
      ['/compounds?after=x'],
    ];
    for (const [request, key] of refused) {
      const response = get(request, key).expect('x-error-code', 'list.cursor_unusable');
      const { body: error } = await response.expect(400);
      expect(error.message).toEqual([
        expect.stringMatching(/^after must be 0 or a cursor .*page$/),
      ]);
    }
    const secondKey = await addKey(service.db, tenant.organizationId);
    await get(`${path}&${after}`, secondKey).expect(200);
  });

  it('treats a forged cursor as a value, or refuses it', async () => {
    const { body } = await get('/units?limit=1&after=0').expect(200);
    const [, ...rest] = JSON.parse(
      Buffer.from(body.pagination.next, 'base64url').toString(),
    ) as unknown[];
    const getForged = (...fields: unknown[]) =>
      get(`/units?after=${Buffer.from(JSON.stringify(fields)).toString('base64url')}`);
    await getForged([{ $gt: '' }], ...rest).expect(200);
    await getForged([JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)], ...rest).expect(400);
    await getForged([{ 'a\0': 1 }], ...rest).expect(400);
    await getForged([{ $regularExpression: { pattern: '\0', options: '' } }], ...rest).expect(400);
    await getForged(['$_id'], ...rest).expect(200);
    await getForged([], ...rest).expect(200);
    await getForged([null], {}, {}, 1, 1).expect(400);
    for (const after of ['', '00', 'null', 'W10', 'e30', '%00', 'x&after=y', 'a'.repeat(8_000)]) {
      await get(`/units?after=${after}`).expect(400);
    }
  });
});

describe('a field with values of any type', () => {
  const values: unknown[] = [
    undefined,
    null,
    Number.NaN,
    Decimal128.fromString('NaN'),
    Decimal128.fromString('1E-400'),
    Decimal128.fromString('-1E-400'),
    -0,
    0,
    5,
    Decimal128.fromString('5.0'),
    Long.fromString('9007199254740993'),
    Number.POSITIVE_INFINITY,
    '',
    'text',
    { amount: 5 },
    { $amount: { 'a.b': 5 } },
    [],
    [5],
    [1, 9],
    ['x', 3],
    [[2]],
    new Binary(Buffer.from('x')),
    new ObjectId(),
    true,
    day(3),
    new Timestamp({ t: 5, i: 1 }),
    new BSONRegExp('x', 'i'),
    new MinKey(),
    new MaxKey(),
  ];
  const twice = [...values, ...values];
  let oddTenant: Tenant;
  beforeAll(async () => {
    oddTenant = await addTenant(service.db);
    // Each value occurs twice, so that ids break ties. Equal values are not adjacent.
    const oddUnits = twice.map((price, index) => ({
      ...conventions(oddTenant.organizationId),
      unitId: `u${index}`,
      ...(price === undefined ? {} : { price }),
      // MongoDB cannot sort by two lists of the same document.
      ...(price === undefined || Array.isArray(price) ? {} : { status: price }),
    }));
    await service.db.collection('units').insertMany(oddUnits, { bypassDocumentValidation: true });
  });

  it.each(['price', '-price', '-status', 'status,-price', '-beds,price'])(
    'lets cursors return each unit once in the order %s',
    async (sort) => {
      for (const limit of [1, 7]) {
        const found: string[] = [];
        for (let after = '0'; after !== null && found.length <= twice.length;) {
          const path = `/units?sort=${sort}&limit=${limit}&after=${after}`;
          const { body } = await get(path, oddTenant.key).expect(200);
          found.push(...body.data.map(({ unitId }: Record<string, string>) => unitId));
          after = body.pagination.next;
        }
        expect(found.toSorted()).toEqual(twice.map((_, index) => `u${index}`).toSorted());
      }
    },
  );
});

describe('a polled first page', () => {
  it.each([
    '/units?limit=1&updatedSince=2020-01-01',
    '/units?limit=1&updatedSince=2020-01-01&sort=-price',
    '/units?limit=1&after=0',
    '/compounds?limit=1&updatedSince=2020-01-01',
  ])('keeps its entity tag until something changes: %s', async (path) => {
    const own = await addTenant(service.db);
    const { organizationId } = own;
    const parts = await addUnitCatalogue(service.db, organizationId, { updatedAt: day(20) });
    await addCompound(service.db, organizationId, { 'en-us': 'Hill' }, { updatedAt: day(20) });
    for (const unitId of ['a', 'b']) {
      await addUnit(service.db, organizationId, parts, { unitId, updatedAt: day(20) });
    }
    const first = await get(path, own.key).expect(200);
    expect(first.body.pagination.next).not.toBeNull();
    const { etag = '' } = first.headers;
    await get(path, own.key).set('if-none-match', etag).expect(304);
    const change = { $set: { updatedAt: new Date() } };
    await service.db.collection('unitDesigns').updateOne({ _id: parts.designId }, change);
    await service.db.collection('compounds').updateOne({ organizationId }, change);
    const fresh = await get(path, own.key).set('if-none-match', etag).expect(200);
    // The tag depends on the time of the last change, not on the clock, so it also stays the same right after
    // a change.
    await get(path, own.key)
      .set('if-none-match', fresh.headers['etag'] ?? '')
      .expect(304);
  });

  it('returns x-updated-as-of early enough to find all later writes', async () => {
    const path = '/units?limit=1&updatedSince=2020-01-01';
    const own = await addTenant(service.db);
    const parts = await addUnitCatalogue(service.db, own.organizationId, { updatedAt: day(1) });
    const add = (unitId: string, updatedAt: Date) =>
      addUnit(service.db, own.organizationId, parts, { unitId, updatedAt });
    await add('a', day(2));
    await add('b', day(3));
    const { body } = await get(path, own.key).expect(200);
    const { headers } = await get(`${path}&after=${body.pagination.next}`, own.key).expect(200);
    const asOf = headers['x-updated-as-of'] ?? '';
    expect(asOf).toBe(new Date(day(3).getTime() + 1).toISOString());
    await add('late', new Date(Date.now() - 110_000));
    const later = await get(`/units?updatedSince=${asOf}`, own.key).expect(200);
    expect(later.body.data).toMatchObject([{ unitId: 'late' }]);
  });
});

describe('a sort by several fields', () => {
  it('returns 400 when more than 10,000 units match', async () => {
    const many = await addTenant(service.db);
    const { organizationId } = many;
    const { compoundId } = await addUnitCatalogue(service.db, organizationId);
    const unitsOf = (count: number, unitId: string) =>
      Array.from({ length: count }, (_, index) => ({
        organizationId,
        compoundId,
        unitId: `${unitId}${index}`,
        beds: index % 3,
        status: index < 9 ? 'Sold' : 'Available',
        isDeleted: false,
        createdAt: day(1),
        updatedAt: day(1),
      }));
    await service.db.collection('units').insertMany(unitsOf(10_000, 'u'));
    const path = '/units?limit=2&sort=-beds,-unitId';
    const sorted = await get(path, many.key).expect(200);
    expect(sorted.body.data).toMatchObject([{ unitId: 'u9998' }, { unitId: 'u9995' }]);
    await service.db.collection('units').insertMany(unitsOf(1, 'other'));
    for (const list of [path, `${path}&after=0`, '/units/export/all?sort=-beds,-unitId']) {
      const refused = get(list, many.key).expect('x-error-code', 'unit.too_many_to_sort');
      const { body } = await refused.expect(400);
      expect(body.message).toEqual([expect.stringContaining('limited to 10000 matching units')]);
    }
    await get(`${path}&status=sold`, many.key).expect(200);
    await get('/units?sort=-beds', many.key).expect(200);
  });
});

describe('a list of changes', () => {
  it('contains every unit when more than a thousand designs changed', async () => {
    const many = await addTenant(service.db);
    const parts = await addUnitCatalogue(service.db, many.organizationId, { updatedAt: day(1) });
    await addUnit(service.db, many.organizationId, parts, { updatedAt: day(1) });
    const designs = (count: number) =>
      Array.from({ length: count }, () => ({
        organizationId: many.organizationId,
        isDeleted: false,
        createdAt: day(1),
        updatedAt: day(20),
      }));
    const total = async () =>
      (await get(`/units?updatedSince=${midJanuary}`, many.key)).body.pagination.total;
    await service.db.collection('unitDesigns').insertMany(designs(1_000));
    expect(await total()).toBe(0);
    await service.db.collection('unitDesigns').insertMany(designs(1));
    expect(await total()).toBe(1);
  });
});
