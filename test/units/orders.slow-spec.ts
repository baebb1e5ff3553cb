import { beforeAll, expect, it } from '@jest/globals';
import { Decimal128, type Document } from 'mongodb';
import { addTenant, conventions, type Tenant } from '../support/builders.js';
import { isFull } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import { addUnitCatalogue } from './catalogue.js';

const service = sharedService();
const count = 120;
let tenant: Tenant;
let units: Document[];

/** Stored numbers, of which several are shown as 0; ids alone decide between equal ones. */
const numbers = [undefined, null, 0, Number.NaN, -3, 5, 5.5, new Decimal128('5.25'), 70, 1e9];
const statuses = ['Available', 'sold', 'Sold', undefined, 'RESERVED'];
const arabic = ['ب', undefined, 'ا', '', 'b', null];

beforeAll(async () => {
  tenant = await addTenant(service.db);
  const { organizationId } = tenant;
  const { compoundId, phaseId } = await addUnitCatalogue(service.db, organizationId);
  units = Array.from({ length: count }, (_, index) => {
    const at = new Date(Date.UTC(2026, 0, 1 + ((index * 7) % 20)));
    const translation = arabic[(index * 5) % arabic.length];
    return {
      ...conventions(organizationId),
      ...given('price', numbers[(index * 3) % numbers.length]),
      ...given('bua', numbers[(index * 7 + 1) % numbers.length]),
      ...given('beds', index % 4),
      ...given('status', statuses[index % statuses.length]),
      name: { 'en-us': `a${(index * 11) % 30}`, ...given('ar-eg', translation) },
      compoundId: index % 3 === 0 ? null : compoundId,
      locationId: phaseId,
      unitId: `u${(index * 13) % count}`,
      slug: `s${index}`,
      createdAt: at,
      updatedAt: new Date(at.getTime() + ((index * 17) % 9) * 1_000),
      isDeleted: index % 10 === 9,
    };
  });
  await service.db.collection('units').insertMany(units);
});

function given(field: string, value: unknown): Document {
  return value === undefined ? {} : { [field]: value };
}

type Key = readonly (Buffer | number)[];

/** By which values a unit is ordered, as the reference says it. */
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

/** Missing values, then values that are no number, then numbers. */
function storedNumber(value: (typeof numbers)[number]): Key {
  if (value === undefined || value === null) return [0, 0];
  const number = Number(value.toString());
  return Number.isNaN(number) ? [1, 0] : [2, number];
}

function storedText(value: string | null | undefined): Key {
  return value === undefined || value === null ? [0, Buffer.from('')] : [1, Buffer.from(value)];
}

function shownNumber(value: unknown): number {
  const number = Number(value instanceof Decimal128 ? value.toString() : (value ?? 0));
  return Number.isNaN(number) ? 0 : number;
}

function compared(a: Key, b: Key): number {
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

function expected(sort: string, language: string, matches: (unit: Document) => boolean): string[] {
  const fields = sort.split(',');
  const direction = (item = '') => (item.startsWith('-') ? -1 : 1);
  const inOrder = units.filter(matches).toSorted((a, b) => {
    for (const field of fields) {
      const key = keys[field.replace('-', '')];
      const difference = key === undefined ? 0 : compared(key(a, language), key(b, language));
      if (difference !== 0) return difference * direction(field);
    }
    return compared([a['_id'].id], [b['_id'].id]) * direction(fields.at(-1));
  });
  return inOrder.map(({ unitId }) => unitId);
}

const filters: [query: string, matches: (unit: Document) => boolean][] = [
  ['', () => true],
  ['status=SOLD', ({ status }) => /^sold$/i.test(status ?? '')],
  ['minPrice=0&maxPrice=5.3', ({ price }) => within(shownNumber(price), 0, 5.3)],
  ['minBua=5', ({ bua }) => within(shownNumber(bua), 5, Infinity)],
  ['compound=lake', ({ compoundId }) => compoundId !== null],
  ['compound=lake&maxBeds=2', ({ compoundId, beds }) => compoundId !== null && beds <= 2],
];
const within = (number: number, least: number, most: number) => number >= least && number <= most;

async function pages(query: string, language: string): Promise<{ ids: string[]; total: number }> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { body } = await get(`${query}&limit=47&page=${page}`, language);
    ids.push(...body.data.map(({ unitId }: Document) => unitId));
    if (page >= body.pagination.pages) return { ids, total: body.pagination.total };
  }
}

async function behindCursors(query: string, language: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null = '0'; after !== null;) {
    const { body } = await get(`${query}&limit=31&after=${after}`, language);
    ids.push(...body.data.map(({ unitId }: Document) => unitId));
    after = body.pagination.next;
  }
  return ids;
}

async function exported(query: string, language: string): Promise<string[]> {
  const { body } = await service
    .api('get', `/units/export/all?${query}`)
    .set({ 'api-key': tenant.key, language })
    .expect(200);
  return body.data.map(({ unitId }: Document) => unitId);
}

const get = (query: string, language: string) =>
  service.api('get', `/units?${query}`).set({ 'api-key': tenant.key, language }).expect(200);

const orders = Object.keys(keys).flatMap((field) => [field, `-${field}`]);

/** Of these the first field has few values, or many, or some that are stored as others are. */
const severalFields = [
  'beds,-price',
  '-beds,status,-name',
  '-status,name',
  'status,createdAt',
  '-bua,createdAt',
  'price,bua,-updatedAt',
  '-createdAt,unitId',
  'name,price',
];

const sorts = [...orders, ...severalFields];

const combinations = filters.flatMap(([filter, matches], number) =>
  [0, 1].map((includeDeleted) => ({
    turn: 2 * number + includeDeleted,
    parameters: `${filter}&includeDeleted=${includeDeleted}`,
    isListed: (unit: Document) => matches(unit) && (includeDeleted === 1 || !unit['isDeleted']),
  })),
);

/** In the short form each order meets one of them, and each of them two orders. */
const combinationsFor = (sort: string) =>
  combinations.filter(
    ({ turn }) => isFull || (sorts.indexOf(sort) + turn) % combinations.length === 0,
  );

it.each(sorts)(
  'GET /units returns the same order and filters as a sort in memory for sort=%s',
  async (sort) => {
    const languages = sort.includes('name') ? ['en-us', 'ar-eg'] : ['en-us'];
    for (const language of languages) {
      for (const { parameters, isListed } of combinationsFor(sort)) {
        const query = `sort=${sort}&${parameters}`.replace('&&', '&');
        const ids = expected(sort, language, isListed);
        const listed = { query, ids, total: ids.length };
        expect({ query, ...(await pages(query, language)) }).toEqual(listed);
      }
      const all = expected(sort, language, () => true);
      const query = `sort=${sort}&includeDeleted=1`;
      expect(await behindCursors(query, language)).toEqual(all);
      expect(await exported(query, language)).toEqual(all);
    }
  },
);
