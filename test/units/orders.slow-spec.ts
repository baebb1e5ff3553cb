import { beforeAll, expect, it } from '@jest/globals';
import { Decimal128, type Document } from 'mongodb';
import { conventions } from '../support/builders.js';
import { range } from '../support/counting.js';
import { isFull } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { addUnitCatalogue } from './catalogue.js';

const service = sharedService();
const count = 120;
let tenant: TenantApi;
let units: Document[];

/** Responses show several of these stored values as 0. Ids break ties. */
const numbers = [undefined, null, 0, Number.NaN, -3, 5, 5.5, new Decimal128('5.25'), 70, 1e9];
const statuses = ['Available', 'sold', 'Sold', undefined, 'RESERVED'];
const arabic = ['ب', undefined, 'ا', '', 'b', null];

beforeAll(async () => {
  tenant = await service.addTenant();
  const { compoundId, phaseId } = await tenant.add(addUnitCatalogue);
  units = range(count).map((index) => {
    const at = new Date(Date.UTC(2026, 0, 1 + ((index * 7) % 20)));
    return {
      ...conventions(tenant.organizationId),
      price: numbers[(index * 3) % numbers.length],
      bua: numbers[(index * 7 + 1) % numbers.length],
      beds: index % 4,
      status: statuses[index % statuses.length],
      name: { 'en-us': `a${(index * 11) % 30}`, 'ar-eg': arabic[(index * 5) % arabic.length] },
      compoundId: index % 3 === 0 ? null : compoundId,
      locationId: phaseId,
      unitId: `u${(index * 13) % count}`,
      slug: `s${index}`,
      createdAt: at,
      updatedAt: new Date(at.getTime() + ((index * 17) % 9) * 1_000),
      isDeleted: index % 10 === 9,
    };
  });
  await service.db.collection('units').insertMany(units, { ignoreUndefined: true });
});

type Key = readonly (Buffer | number)[];

/** Returns the values that order a unit, as the reference documents them. */
const keys: Record<string, (unit: Document, language: string) => Key> = {
  createdAt: (unit) => [unit['createdAt'].getTime()],
  updatedAt: (unit) => [unit['updatedAt'].getTime()],
  price: (unit) => storedNumber(unit['price']),
  bua: (unit) => storedNumber(unit['bua']),
  beds: (unit) => storedNumber(unit['beds']),
  unitId: (unit) => [Buffer.from(unit['unitId'])],
  status: (unit) => [Buffer.from(unit['status'] ?? '')],
  name: ({ name }, language) => [
    ...storedText(name[language]),
    ...(language === 'en-us' ? [] : storedText(name['en-us'])),
  ],
};

/** Missing values come first, then values that are not numbers, then numbers. */
function storedNumber(value: (typeof numbers)[number]): Key {
  if (value === undefined || value === null) return [0, 0];
  const number = Number(value.toString());
  return Number.isNaN(number) ? [1, 0] : [2, number];
}

function storedText(value: string | null | undefined): Key {
  return value === undefined || value === null ? [0, Buffer.from('')] : [1, Buffer.from(value)];
}

function compareKeys(a: Key, b: Key): number {
  for (const [index, value] of a.entries()) {
    const other = b[index];
    const difference =
      typeof value === 'number'
        ? value - (other as number)
        : Buffer.compare(value, other as Buffer);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns the unit ids in this order. Ids follow the direction of the last field. */
function expected(sort: string, language: string, matches: (unit: Document) => boolean): string[] {
  const fields = sort.split(',');
  const direction = (item = '') => (item.startsWith('-') ? -1 : 1);
  const inOrder = units.filter(matches).toSorted((a, b) => {
    for (const field of fields) {
      const key = keys[field.replace('-', '')];
      const difference = key === undefined ? 0 : compareKeys(key(a, language), key(b, language));
      if (difference !== 0) return difference * direction(field);
    }
    return compareKeys([a['_id'].id], [b['_id'].id]) * direction(fields.at(-1));
  });
  return inOrder.map(({ unitId }) => unitId);
}

const isWithin = (value: (typeof numbers)[number], minimum: number, maximum: number) => {
  const shown = Number((value ?? 0).toString()) || 0;
  return shown >= minimum && shown <= maximum;
};
const filters: [query: string, matches: (unit: Document) => boolean][] = [
  ['', () => true],
  ['&status=SOLD', ({ status }) => /^sold$/i.test(status ?? '')],
  ['&minPrice=0&maxPrice=5.3', ({ price }) => isWithin(price, 0, 5.3)],
  ['&minBua=5', ({ bua }) => isWithin(bua, 5, Infinity)],
  ['&compound=lake', ({ compoundId }) => compoundId !== null],
  ['&compound=lake&maxBeds=2', ({ compoundId, beds }) => compoundId !== null && beds <= 2],
];
const combinations = filters.flatMap(([filter, matches]) =>
  [0, 1].map((includeDeleted) => ({
    parameters: `${filter}&includeDeleted=${includeDeleted}`,
    isListed: (unit: Document) => matches(unit) && (includeDeleted === 1 || !unit['isDeleted']),
  })),
);

const sorts = [
  ...Object.keys(keys).flatMap((field) => [field, `-${field}`]),
  // The first sort field has few values, many values, or different values that responses show as equal.
  'beds,-price',
  '-beds,status,-name',
  '-status,name',
  'status,createdAt',
  '-bua,createdAt',
  'price,bua,-updatedAt',
  '-createdAt,unitId',
  'name,price',
];

/** The short run tests each order with one combination, and each combination with two orders. */
const combinationsFor = (sort: string) =>
  combinations.filter(
    (_, turn) => isFull || (sorts.indexOf(sort) + turn) % combinations.length === 0,
  );

const get = (path: string, language: string) => tenant.get(path).set({ language }).expect(200);
const idsOf = (list: Document[]) => list.map(({ unitId }) => unitId as string);

async function readPages(query: string, language: string) {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { data, pagination } = (await get(`/units?${query}&limit=47&page=${page}`, language))
      .body;
    ids.push(...idsOf(data));
    if (page >= pagination.pages) return { ids, total: pagination.total };
  }
}

async function readByCursors(query: string, language: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null = '0'; after !== null;) {
    const { body } = await get(`/units?${query}&limit=31&after=${after}`, language);
    ids.push(...idsOf(body.data));
    after = body.pagination.next;
  }
  return ids;
}

it.each(sorts)(
  'GET /units?sort=%s returns the same units in the same order as a sort in memory',
  async (sort) => {
    for (const language of sort.includes('name') ? ['en-us', 'ar-eg'] : ['en-us']) {
      for (const { parameters, isListed } of combinationsFor(sort)) {
        const query = `sort=${sort}${parameters}`;
        const ids = expected(sort, language, isListed);
        const found = await readPages(query, language);
        expect({ query, ...found }).toEqual({ query, ids, total: ids.length });
      }
      const all = expected(sort, language, () => true);
      const query = `sort=${sort}&includeDeleted=1`;
      expect(await readByCursors(query, language)).toEqual(all);
      const { body } = await get(`/units/export/all?${query}`, language);
      expect(idsOf(body.data)).toEqual(all);
    }
  },
);
