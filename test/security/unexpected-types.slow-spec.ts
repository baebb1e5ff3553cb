import { expect, it } from '@jest/globals';
import { Binary, BSONRegExp, Decimal128, type Document, Long, ObjectId, Timestamp } from 'mongodb';
import PQueue from 'p-queue';
import { mayReadEvents } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import { addTenantData } from './tenant-data.js';

const service = sharedService();

/** Other programs may store values of these types in any field. */
const oddValues: Readonly<Record<string, unknown>> = {
  'a whole number': 5,
  'a negative number': -7,
  'a long integer': Long.fromString('9007199254740993'),
  'not a number': Number.NaN,
  'a decimal': Decimal128.fromString('1E400'),
  'an infinite decimal': Decimal128.fromString('Infinity'),
  true: true,
  null: null,
  'a string': 'odd',
  'an empty string': '',
  'a time as a string': '2026-01-05T09:30:00Z',
  'an empty list': [],
  'a list of anything': [null, 5, 'odd', {}, [1], new ObjectId()],
  'an empty object': {},
  'an object of objects': { a: { b: 1 }, 'en-us': { x: 1 }, clients: 5, isActive: 'x' },
  'a time': new Date(0),
  'a time out of range': 'a time out of range',
  'an id': new ObjectId(),
  bytes: new Binary(Buffer.from('abc')),
  'a pattern': new BSONRegExp('^a', 'i'),
  'a time of the database': new Timestamp({ t: 1, i: 1 }),
};
const outOfRange = oddValues['a time out of range'];

const collections =
  'organizations apiKeys users leads clients changeLogs compounds phases propertyTypes unitDesigns amenities units reservations chequeWallets'.split(
    ' ',
  );

/** Pseudo status for a request whose connection failed. */
const noResponse = 599;

/** The service finds documents by these fields, so it never reads one with such a value. */
const excludedFields = new Set(['_id', 'hash', '__v']);

/** Returns the paths of all fields of a validator, including nested ones and the first item of each list. */
function fieldsOf({ properties = {} }: Document, above = ''): string[] {
  return Object.entries(properties as Record<string, Document>).flatMap(([name, inner]) => {
    if (excludedFields.has(name) || (name === 'organizationId' && above === '')) return [];
    const path = above + name;
    const isList = [inner['bsonType']].flat().includes('array');
    const items = isList ? [`${path}.0`, ...fieldsOf(inner['items'] ?? {}, `${path}.0.`)] : [];
    return [path, ...fieldsOf(inner, `${path}.`), ...items];
  });
}

/** Returns the document with a value at a path. A list keeps its other items. */
function withValue(
  document: unknown,
  [step, ...steps]: readonly string[],
  value: unknown,
): unknown {
  if (step === undefined) return value;
  if (Array.isArray(document) || step === '0') {
    const [first, ...others] = Array.isArray(document) ? (document as unknown[]) : [];
    return [withValue(first, steps, value), ...others];
  }
  const fields = (document ?? {}) as Document;
  return { ...fields, [step]: withValue(fields[step], steps, value) };
}

async function addRecords() {
  const tenant = await addTenantData(service.db, 1, { key: mayReadEvents });
  const { organizationId } = tenant;
  await service.db
    .collection('units')
    .updateOne({ organizationId }, { $set: { status: 'Reserved' } });
  const found = collections.map(async (collection) => {
    const filter = collection === 'organizations' ? { _id: organizationId } : { organizationId };
    return [collection, (await service.db.collection(collection).findOne(filter))?._id] as const;
  });
  return { ...tenant, documentIds: Object.fromEntries(await Promise.all(found)) };
}

type Records = Awaited<ReturnType<typeof addRecords>>;

/** Returns the paths of the lists and reads that find the tenant's records. */
function pathsOf({ ids }: Records): string[] {
  const idOf = (kind: string) => ids[kind]?.[0] ?? '';
  const lead = idOf('external id of a lead');
  const names = {
    compound: idOf('slug of a compound'),
    phase: idOf('slug of a phase'),
    unitDesign: idOf('slug of a unit design'),
    propertyType: idOf('slug of a property type'),
  };
  const amenity = idOf('name of an amenity');
  const filters = new URLSearchParams({ ...names, amenities: amenity }).toString();
  const since = 'updatedSince=2020-01-01T00:00:00Z';
  const reservationId = idOf('a reservation');
  return [
    `/leads/${lead}`,
    `/leads?recordSystemId=${lead}`,
    `/leads?${since}&includeDeleted=1`,
    '/leads?after=0',
    '/leads?email=odd@example.com',
    '/leads?phone=01001234567&leadSource=odd',
    `/leads?compound=${names.compound}`,
    '/compounds?all=1&includeDeleted=1',
    `/compounds?${since}`,
    '/compounds?after=0&limit=1',
    `/compounds/${names.compound}/units`,
    `/units/${idOf('slug of a unit')}`,
    '/units',
    `/units?${filters}`,
    `/units?${since}&includeDeleted=1`,
    '/units?after=0',
    `/units?status=Reserved&rentalStatus=Unavailable&unitId=${idOf('unitId')}`,
    '/units?minPrice=0&maxPrice=9&minBua=0&maxBua=9&minBeds=0&maxBeds=9',
    ...['updatedAt', 'price', '-bua', 'beds', 'name', '-unitId', 'status', 'price,-name'].map(
      (sort) => `/units?sort=${sort}`,
    ),
    ...['json', 'csv', 'ndjson'].map((format) => `/units/export/all?format=${format}`),
    `/units/export/all?sort=-price&${filters}`,
    `/reservations/${reservationId}`,
    `/reservations?${since}&includeDeleted=1`,
    '/reservations?after=0&status=pending,approved',
    `/reservations?unit=${idOf('slug of a unit')}`,
    `/reservations?lead=${lead}`,
    '/cheques',
    '/cheques?status=pending&dueFrom=2020-01-01&dueTo=2100-01-01',
    `/cheques?reservation=${reservationId}`,
    '/events?after=0',
  ];
}

/** Lists the paths that read a collection. All paths read the collections that are missing here. */
const readers: Readonly<Record<string, RegExp>> = {
  users: /lead/,
  clients: /lead/,
  changeLogs: /lead/,
  leads: /lead|reservation/,
  phases: /unit/,
  propertyTypes: /unit/,
  unitDesigns: /unit/,
  amenities: /unit/,
  reservations: /reservation|units$|cheques/,
  chequeWallets: /reservation|cheques/,
};

interface Oddity {
  readonly collection: string;
  readonly field: string;
  readonly name: string;
}

/** @returns false if the database itself refuses the value */
async function store(
  { collection, field, name }: Oddity,
  { documentIds }: Records,
): Promise<boolean> {
  const documents = service.db.collection(collection);
  const _id = documentIds[collection] ?? new ObjectId();
  const stored = await documents.findOne({ _id });
  const value = name === 'a time out of range' ? outOfRange : oddValues[name];
  const odd = withValue(stored, field.split('.'), value);
  const latest = { $toDate: Long.MAX_VALUE };
  const update = [
    { $replaceWith: { $literal: odd } },
    ...(value === outOfRange && !field.includes('.0') ? [{ $set: { [field]: latest } }] : []),
  ];
  try {
    await documents.updateOne({ _id }, update, { bypassDocumentValidation: true });
    return true;
  } catch {
    return false;
  }
}

/** Selects every n-th combination. With 1 the test runs all of them, for a quarter of an hour. */
const step = rounds(161, 27);

it.each(collections)(
  'every list and read succeeds with unexpected values in %s',
  async (collection) => {
    const [info] = await service.db.listCollections({ name: collection }).toArray();
    const { validator = {} } = (info as { options?: Document }).options ?? {};
    const oddities = fieldsOf(validator['$jsonSchema']).flatMap((field) =>
      Object.keys(oddValues).map((name): Oddity => ({ collection, field, name })),
    );
    // Validators permit null in every field except the conventional times.
    const chosen = oddities.filter(
      ({ field, name }, index) =>
        index % step === 0 || (name === 'null' && /^\w+edAt$/.test(field)),
    );
    const failuresOf = async (oddity: Oddity) => {
      const records = await addRecords();
      if (!(await store(oddity, records))) return [];
      const failed: string[] = [];
      for (const path of pathsOf(records)) {
        if (readers[collection]?.test(path) === false) continue;
        const sent = service.api('get', path).set('api-key', records.key);
        const { status } = await sent.catch(() => ({
          status: noResponse,
        }));
        const { field, name } = oddity;
        if (status >= 500) failed.push(`${field} is ${name}: ${status} ${path}`);
      }
      return failed;
    };
    const queue = new PQueue({ concurrency: 16 });
    const failures = await queue.addAll(chosen.map((oddity) => () => failuresOf(oddity)));
    expect(failures.flat()).toEqual([]);
  },
);
