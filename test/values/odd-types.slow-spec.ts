import { expect, it } from '@jest/globals';
import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  type Document,
  Long,
  MinKey,
  ObjectId,
  Timestamp,
} from 'mongodb';
import PQueue from 'p-queue';
import { addTenant, conventions, mayReadEvents } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();

/** Values of wrong types that other programs store. */
const oddValues: Readonly<Record<string, unknown>> = {
  'a whole number': 5,
  'a fraction': 1.5,
  'a negative number': -7,
  'a long integer': Long.fromString('9007199254740993'),
  'no number': Number.NaN,
  'a decimal': Decimal128.fromString('1E400'),
  'an endless decimal': Decimal128.fromString('Infinity'),
  true: true,
  null: null,
  'a text': 'odd',
  'an empty text': '',
  'an id as a text': new ObjectId().toHexString(),
  'a time as a text': '2026-01-05T09:30:00Z',
  'an empty list': [],
  'a list of anything': [null, 5, 'odd', {}, [1], new ObjectId()],
  'an empty object': {},
  'an object of objects': { a: { b: 1 }, 'en-us': { x: 1 }, clients: 5, isActive: 'x' },
  'a time': new Date(0),
  'a time beyond all calendars': 'a time beyond all calendars',
  'an id': new ObjectId(),
  bytes: new Binary(Buffer.from('abc')),
  'a pattern': new BSONRegExp('^a', 'i'),
  code: new Code('return 1'),
  'a clock': new Timestamp({ t: 1, i: 1 }),
  'the least of all': new MinKey(),
};
const beyond = oddValues['a time beyond all calendars'];

const collections = [
  'organizations',
  'apiKeys',
  'users',
  'leads',
  'clients',
  'changeLogs',
  'compounds',
  'phases',
  'propertyTypes',
  'unitDesigns',
  'amenities',
  'units',
  'reservations',
  'chequeWallets',
];

/** Stands for the status of a request whose connection failed. */
const noResponse = 599;

/** By these a document is found before anything of it is read. */
const notOdd = new Set(['_id', 'hash', '__v']);

/** All fields of a validator and of what is in them, the first item of each list among them. */
function fieldsOf({ properties = {} }: Document, above = ''): string[] {
  return Object.entries(properties as Record<string, Document>).flatMap(([name, inner]) => {
    if (notOdd.has(name) || (name === 'organizationId' && above === '')) return [];
    const path = above + name;
    const isList = [inner['bsonType']].flat().includes('array');
    const items = isList ? [`${path}.0`, ...fieldsOf(inner['items'] ?? {}, `${path}.0.`)] : [];
    return [path, ...fieldsOf(inner, `${path}.`), ...items];
  });
}

/** A document with a value at a path. */
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

/** A tenant with one of everything, all fields filled in that anything depends on. */
async function addEverything() {
  const { db } = service;
  const phone = `+2010${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
  const { organizationId, key } = await addTenant(db, { key: mayReadEvents });
  const add = async (collection: string, fields: Document) => {
    const document = { ...conventions(organizationId), ...fields };
    await db.collection(collection).insertOne(document);
    return document._id;
  };
  const name = { 'en-us': 'Palm', 'ar-eg': 'نخيل' };
  const compounds = await add('compounds', { name, slug: 'palm' });
  const phases = await add('phases', { name, slug: 'phase', parentId: compounds });
  const propertyTypes = await add('propertyTypes', { name, slug: 'villa' });
  const unitDesigns = await add('unitDesigns', { name, slug: 'design' });
  const amenities = await add('amenities', { name });
  const units = await add('units', {
    name,
    slug: 'unit',
    unitId: 'U-1',
    recordSystemId: 'unit-1',
    status: 'Reserved',
    price: 5,
    compoundId: compounds,
    locationId: phases,
    propertyTypeId: propertyTypes,
    unitDesignId: unitDesigns,
    amenitiesIds: [amenities],
  });
  const users = await add('users', { name: 'Omar' });
  const clients = await add('clients', { name: 'Mona', email: 'm@x.com', phoneNumbers: [phone] });
  const leads = await add('leads', {
    leadId: 7,
    recordSystemId: 'lead-1',
    compoundsIds: [compounds],
    data: { name: 'Mona', phoneNumber: phone, email: 'm@x.com' },
    additionalData: { a: 1 },
    clientId: clients,
    assignedToId: users,
    parentId: null,
    isActive: true,
  });
  await add('changeLogs', {
    entity: 'Lead',
    entityId: leads,
    context: 'External Lead Create',
    changes: [{ field: 'data.name', from: null, to: 'Mona' }],
  });
  const reservations = await add('reservations', {
    unitId: units,
    leadId: leads,
    recordSystemId: 'deal-1',
    status: 'pending_cheque_collection',
    partnerCollection: { isActive: true },
  });
  const cheque = { installmentId: '1', status: 'bounced', chequeNumber: '7', chequeAmount: 5 };
  const statusHistory = [{ ...cheque, changedAt: new Date(), source: 'callback' }];
  await add('chequeWallets', {
    reservationId: reservations,
    unitId: units,
    cheques: [
      { ...cheque, dueDate: new Date(), statusHistory },
      { installmentId: '2', status: 'pending', statusHistory: [] },
    ],
  });
  const found = collections.map(async (collection) => {
    const filter = collection === 'organizations' ? { _id: organizationId } : { organizationId };
    return [collection, (await db.collection(collection).findOne(filter))?._id] as const;
  });
  const ids = Object.fromEntries(await Promise.all(found));
  return { organizationId, key, ids, phone };
}

type Everything = Awaited<ReturnType<typeof addEverything>>;
type Request = readonly [method: 'get' | 'post' | 'delete', path: string, body?: object];

/** Every operation that reads what a tenant has, in an order in which each finds something. */
function requestsOf({ ids, phone }: Everything): Request[] {
  const reservationId = ids['reservations']?.toHexString();
  const unit = { recordSystemId: 'unit-1' };
  const references = {
    propertyType: 'villa',
    compound: 'palm',
    phase: 'phase',
    unitDesign: 'design',
    amenities: ['Palm'],
  };
  const report = (chequeStatus: string, installmentId = '1') =>
    ['post', '/reservations/webhook', { reservationId, installmentId, chequeStatus }] as const;
  const filters = 'compound=palm&phase=phase&unitDesign=design&propertyType=villa&amenities=Palm';
  const since = 'updatedSince=2020-01-01T00:00:00Z';
  const ledger = { reservationId, installmentId: '1', chequeStatus: 'bounced', chequeNumber: '7' };
  return [
    ['get', '/leads/lead-1'],
    ['get', '/leads?recordSystemId=lead-1'],
    ['post', '/leads', { phoneNumber: phone }],
    ['post', '/leads', { recordSystemId: 'lead-1', data: { phoneNumber2: '01099999990' } }],
    [
      'post',
      '/leads',
      { recordSystemId: 'lead-1', name: 'Nora', email: 'n@x.com', project: 'Palm' },
    ],
    [
      'post',
      '/leads',
      { recordSystemId: 'lead-2', name: 'Mona', email: 'M@x.com', project: 'palm' },
    ],
    ['post', '/leads', { email: 'm@x.com' }],
    ['post', '/leads/batch', { leads: [{ phoneNumber: phone }, { email: 'm@x.com' }] }],
    ['post', '/leads/batch', { leads: [{ recordSystemId: 'lead-1', name: 'N' }], dryRun: true }],
    ['get', `/compounds?all=1&includeDeleted=1`],
    ['get', `/compounds?${since}`],
    ['get', `/compounds?after=0&limit=1`],
    ['get', '/compounds/palm/units'],
    ['get', '/units/unit'],
    ['get', '/units'],
    ['get', `/units?${filters}`],
    ['get', `/units?${since}&includeDeleted=1`],
    ['get', '/units?after=0'],
    ['get', '/units?status=Reserved&rentalStatus=x&saleType=x&unitId=U-1&recordSystemId=unit-1'],
    ['get', '/units?minPrice=1&maxPrice=9&minBua=0&maxBua=9&minBeds=0&maxBeds=9'],
    ...['updatedAt', 'price', '-bua', 'beds', 'name', '-unitId', 'status', 'price,-name'].map(
      (sort) => ['get', `/units?sort=${sort}`] as const,
    ),
    ...['json', 'csv', 'ndjson'].map(
      (format) => ['get', `/units/export/all?format=${format}`] as const,
    ),
    ['get', `/units/export/all?sort=-price&${filters}`],
    ['post', '/units', { ...unit, ...references, price: 6 }],
    ['post', '/units', { ...unit, status: 'Available', floor: { name: '1' }, name: 'N' }],
    ['post', '/units', { unitId: 'U-1', compound: 'palm', price: 7 }],
    ['get', `/reservations/${reservationId}`],
    ['post', '/reservations/reconciliation', { cheques: [ledger], complete: true }],
    report('post_dated', '2'),
    report('collected'),
    report('bounced'),
    report('collected'),
    ['post', '/reservations/webhook', { reservationId, reservationStatus: 'approved' }],
    ['post', '/reservations/webhook', { reservationId, reservationStatus: 'canceled' }],
    ['post', '/reservations', { recordSystemId: 'deal-1', cheques: [{ installmentId: '3' }] }],
    ['post', '/reservations', { recordSystemId: 'deal-1', status: 'pending', reopen: true }],
    ['post', '/reservations', { unit, lead: { recordSystemId: 'lead-1' } }],
    ['get', '/events?after=0'],
    ['delete', '/leads/lead-1'],
    ['post', '/leads', { recordSystemId: 'lead-1', name: 'Mona' }],
  ];
}

/** Which of them read a collection; those of the others are read by all. */
const readers: Readonly<Record<string, RegExp>> = {
  users: /lead/,
  clients: /lead/,
  changeLogs: /lead/,
  leads: /lead|reservation/,
  phases: /unit/,
  propertyTypes: /unit/,
  unitDesigns: /unit/,
  amenities: /unit/,
  reservations: /reservation|units$/,
  chequeWallets: /reservation/,
};

interface Oddity {
  readonly collection: string;
  readonly field: string;
  readonly name: string;
}

/** @returns false where the database itself refuses it */
async function store({ collection, field, name }: Oddity, { ids }: Everything): Promise<boolean> {
  const documents = service.db.collection(collection);
  const _id = ids[collection] ?? new ObjectId();
  const stored = await documents.findOne({ _id });
  const value = name === 'a time beyond all calendars' ? beyond : oddValues[name];
  const odd = withValue(stored, field.split('.'), value);
  const beyondTime = { $toDate: Long.MAX_VALUE };
  const update = [
    { $replaceWith: { $literal: odd } },
    ...(value === beyond && !field.includes('.0') ? [{ $set: { [field]: beyondTime } }] : []),
  ];
  try {
    await documents.updateOne({ _id }, update, { bypassDocumentValidation: true });
    return true;
  } catch {
    return false;
  }
}

/** Each field has some of the values; `step` 1 tries every value in every field, which takes a quarter of an hour. */
const step = rounds(161, 27);

it.each(collections)(
  'every operation succeeds with unexpected values in %s',
  async (collection) => {
    const [info] = await service.db.listCollections({ name: collection }).toArray();
    const { validator = {} } = (info as { options?: Document }).options ?? {};
    const oddities = fieldsOf(validator['$jsonSchema']).flatMap((field) =>
      Object.keys(oddValues).map((name): Oddity => ({ collection, field, name })),
    );
    // Null is a value of every field, but of the times of the conventions.
    const chosen = oddities.filter(
      ({ field, name }, index) =>
        index % step === 0 || (name === 'null' && /^\w+edAt$/.test(field)),
    );
    const failuresOf = async (oddity: Oddity) => {
      const everything = await addEverything();
      if (!(await store(oddity, everything))) return [];
      const failed: string[] = [];
      for (const [method, path, body] of requestsOf(everything)) {
        if (readers[collection]?.test(path) === false) continue;
        const sent = service.api(method, path).set('api-key', everything.key);
        const { status } = await (body === undefined ? sent : sent.send(body)).catch(() => ({
          status: noResponse,
        }));
        const { field, name } = oddity;
        if (status >= 500) failed.push(`${field} is ${name}: ${status} ${method} ${path}`);
      }
      return failed;
    };
    const queue = new PQueue({ concurrency: 16 });
    const failures = await queue.addAll(chosen.map((oddity) => () => failuresOf(oddity)));
    expect(failures.flat()).toEqual([]);
  },
);
