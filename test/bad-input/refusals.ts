import { withValueAt } from '../support/operations.js';

/** A request that returns 400 because of its query or body alone. */
export interface Refusal {
  readonly method: 'get' | 'post';
  /** The path below the base path, with the query. */
  readonly path: string;
  /** The body as text, which may be invalid JSON. */
  readonly body?: string;
  /** The expected messages; an unreadable body has a single string instead of a list. */
  readonly message: string | readonly string[];
}

/** A value at a position of the body. The empty position is the body itself. */
type BodyRow = readonly [position: string, value: unknown, ...messages: string[]];
type QueryRow = readonly [query: string, ...messages: string[]];

const operator = { $ne: null };
const characters = 'must not contain null characters or unpaired surrogates';
/** Each of these functions returns the message about a field. */
const longId = (field: string) => `${field} must not be longer than 1024 characters`;
const tooLong = (field: string) => `${field} must not be longer than 2048 characters`;
const atMost = (field: string, count: number) =>
  `${field} must not contain more than ${count} items`;
const unknown = (field: string) => `${field} is not a known field`;
const string = (field: string) => `${field} must be a string`;
const empty = (field: string) => `${field} should not be empty`;
const array = (field: string) => `${field} must be an array`;
const object = (field: string) => `${field} must be an object`;
const boolean = (field: string) => `${field} must be a boolean`;
const number = (field: string) => `${field} must be a finite number`;
const oneOf = (field: string, values: string) => [
  `${field} must be a valid enum value`,
  `${field} must be one of the following values: ${values}`,
];

const each = (position: string, values: readonly unknown[], ...messages: string[]): BodyRow[] =>
  values.map((value) => [position, value, ...messages]);
const strings = (...positions: string[]): BodyRow[] =>
  positions.flatMap((position) => [
    ...each(position, [7, true, ['x'], operator], string(position)),
    [position, '', empty(position)] as const,
  ]);

const repeated = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
const long = 'x'.repeat(2_049);
const isEmail = 'email must be an email';
/** A character of each category that nobody sees, inside and around an address. */
const unseenEmails = Array.from(
  '\u200b\u200e\u200f\u00ad\u2060\ufeff\u061c\u{e0020}\u0085\t\u00a0\u202f\u3000\u2007\u2028\u2029',
  (unseen) => [
    `mo${unseen}na@example.com`,
    `mona@exa${unseen}mple.com`,
    `mona@example.com${unseen}`,
  ],
).flat();
const scalar = 'must be a string, a number, a boolean or null';

const leads: BodyRow[] = [
  ...strings('recordSystemId', 'name', 'phoneNumber', 'phoneNumber2', 'project'),
  ...each('email', ['', 'a@b', 'a@@b.com', 'a b@example.com', operator], isEmail),
  ['', { email: 'x', data: { email: 'y' } }, isEmail],
  ['data.email', 'nope', isEmail],
  ...['email', 'data.email'].flatMap((position) => each(position, unseenEmails, isEmail)),
  ...['data', 'additionalData'].flatMap((field) => each(field, [[], 'x'], object(field))),
  ...['name', 'email', 'project', 'leadSource', 'phoneNumber', 'phoneNumber2'].flatMap((key) =>
    each(`data.${key}`, [[], operator], `data.${key} ${scalar}`),
  ),
  ['phoneNumber', '1'.repeat(65), 'phoneNumber must not be longer than 64 characters'],
  ['data.phoneNumber2', '1'.repeat(65), 'data.phoneNumber2 must not be longer than 64 characters'],
  ['recordSystemId', 'a\0b', `recordSystemId ${characters}`],
  ['recordSystemId', '🏠'.repeat(1_025), longId('recordSystemId')],
  ['', { name: '', email: 'x', data: [] }, object('data'), empty('name'), isEmail],
  ...each('', [null, [{ name: 'x' }], 'text', 7], 'The request body must be a JSON object'),
];

const batches: BodyRow[] = [
  ['leads', repeated(101, {}), atMost('leads', 100)],
  ['leads', [], 'leads must not be empty'],
  ['leads', {}, array('leads')],
  ['leads', undefined, array('leads')],
  ['dryRun', 'yes', boolean('dryRun')],
  ['dryrun', true, unknown('dryrun')],
];

const image = 'https://example.com/a.jpg';
const translations = 'name must be a string, or an object with strings for en-us and ar-eg';
const amenityList = 'amenities must be a list of strings of at most 2048 characters';

const units: BodyRow[] = [
  ['unitId', undefined, 'recordSystemId or unitId is required'],
  ['compound', undefined, 'compound is required to create a unit'],
  ['compound', 'moon', 'compound not found: moon'],
  ['phase', 'south', 'phase not found: south'],
  ['propertyType', 'castle', 'propertyType not found: castle'],
  ['unitDesign', 'x', 'unitDesign not found: x'],
  ['amenities', ['gym', 'sauna'], 'amenities not found: gym', 'amenities not found: sauna'],
  ['price', -1, 'price must be a finite, non-negative number'],
  ['name', { fr: 'x' }, unknown('name.fr'), translations],
  ['name', {}, translations],
  ['name', { 'en-us': 'Villa', fr: 'Villa' }, unknown('name.fr')],
  ...each('name', [long, { 'ar-eg': long }], tooLong('name')),
  ...each('amenities', ['gym', [operator], [long]], amenityList),
  ['listingType', repeated(501, 'sale'), atMost('listingType', 500)],
  ['propertyType', long, tooLong('propertyType')],
  ['propertyType', operator, 'propertyType must be a string or null'],
  ['floor', { name: long }, tooLong('floor.name')],
  ['floor', {}, string('floor.name')],
  ['floor', 'one', object('floor')],
  ['floor', { name: 'Ground', level: 1 }, unknown('floor.level')],
  ['media', repeated(501, { image }), atMost('media', 500)],
  ['media', [{ image: `${image}${long}` }], tooLong('media.0.image')],
  ['media', [{ image: 'no address' }], 'media.0.image must be an http or https URL'],
  ['media', [{ image }, { image, type: 1 }], string('media.1.type')],
  ['media', [{ image }, { image, alt: '' }], unknown('media.1.alt')],
  ['showForBrokers', 'yes', boolean('showForBrokers')],
  ['status', '', empty('status')],
  ['prise', 1, unknown('prise')],
];

const unitForm = 'unit must be a slug, or an object with either recordSystemId or unitId';
const leadForm = 'lead must be an object with the recordSystemId of a lead';
const statuses = 'pending, approved, pending_cheque_collection, rejected, canceled, expired';
const first = { installmentId: '1' };
const installments = Array.from({ length: 501 }, (_, index) => ({ installmentId: `${index}` }));

const reservations: BodyRow[] = [
  ['unit', undefined, 'unit is required to create a reservation'],
  ['unit', operator, unknown('unit.$ne'), unitForm],
  ['unit', { recordSystemId: 'x', unitId: 'V-1' }, unitForm],
  ['lead', { recordSystemId: { $gt: '' } }, leadForm],
  ['lead', { recordSystemId: 'y', id: 1 }, unknown('lead.id')],
  ...each('status', ['sold', ['pending']], ...oneOf('status', statuses)),
  ['partnerCollection', 'yes', boolean('partnerCollection')],
  ['__status', 'x', unknown('__status')],
  ['cheques', { '0': {} }, array('cheques')],
  ['cheques', [1, null, []], object('cheques.0'), object('cheques.1'), object('cheques.2')],
  ['cheques', [first, {}], string('cheques.1.installmentId')],
  ['cheques', [first, first], 'cheques must not contain the same installmentId twice'],
  ['cheques', installments, atMost('cheques', 500)],
  ['cheques', [{ ...first, dueDate: '2026-W05-1' }], 'cheques.0.dueDate must be an ISO 8601 date'],
  ['cheques', [{ ...first, chequeAmount: '5' }], number('cheques.0.chequeAmount')],
  ['cheques', [{ ...first, amount: 5 }], unknown('cheques.0.amount')],
];

const chequeStatuses = 'pending, collected, overdue, bounced, post_dated';
const alone = 'chequeStatus must be sent together with installmentId';

const callbacks: BodyRow[] = [
  ['reservationId', undefined, string('reservationId'), empty('reservationId')],
  ...each('reservationId', [7, operator], string('reservationId')),
  ['reservationId', '', empty('reservationId')],
  ['reservationStatus', 'Approved', ...oneOf('reservationStatus', statuses)],
  ['chequeStatus', 'lost', ...oneOf('chequeStatus', chequeStatuses), alone],
  ['chequeStatus', 'collected', alone],
  ['installmentId', '', empty('installmentId')],
  ['chequeAmount', '5', number('chequeAmount')],
  ['chequeNumber', 5, string('chequeNumber')],
  ['chequeNumber', '1'.repeat(257), 'chequeNumber must not be longer than 256 characters'],
];

const entry = { reservationId: 'a', installmentId: '1', chequeStatus: 'pending' };

const ledgers: BodyRow[] = [
  ['cheques', undefined, array('cheques')],
  ['cheques', [], 'cheques must not be empty'],
  ['cheques', repeated(1_001, entry), atMost('cheques', 1_000)],
  ['cheques', [{ ...entry, amount: 1 }], unknown('cheques.0.amount')],
  ['cheques', [{ ...entry, reservationId: '' }], empty('cheques.0.reservationId')],
  ['complete', 'yes', boolean('complete')],
];

const bodies = (path: string, base: object, rows: readonly BodyRow[]): Refusal[] =>
  rows.map(([position, value, ...message]) => {
    const steps = position === '' ? [] : position.split('.');
    return { method: 'post', path, body: JSON.stringify(withValueAt(base, steps, value)), message };
  });

const malformed = 'The request body is not valid JSON in UTF-8';
const forbiddenKey =
  'The request body must not contain the keys __proto__ or constructor.prototype';
const reservedKey = 'The request body must not contain the key _bsontype';
const brokenKey = 'The request body contains a key with a null character or an unpaired surrogate';
const reference = 'The request body must not contain an object with both keys $ref and $id';
const surrogate = 'The request body contains a string with an unpaired surrogate';
const outOfRange = 'The request body contains a number that is out of range: send it as a string';
const tooDeep = 'The request body must not be nested deeper than 32 levels';
const tooManyDigits = (field: string) => `${field} must not have more than 15 significant digits`;
const inexact = (integer: string) =>
  `The request body contains the integer ${integer}, which is too large to be stored exactly: send it as a string`;
const nested = (depth: number) => `{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`;

/** The service refuses these bodies before it validates their fields. */
const unreadable: readonly (readonly [path: string, body: string, message: string])[] = [
  ...['{"name":', '{name: 1}', '', ' ', '{"a":1}{"b":2}', '\ufeff', '{"a":NaN}'].map(
    (text) => ['/leads', text, malformed] as const,
  ),
  ['/leads', '{"__proto__":{"isAdmin":true}}', forbiddenKey],
  ['/leads', '{"data":{"a":[{"__proto__":null}]}}', forbiddenKey],
  ['/leads', '{"data":{"constructor":{"prototype":{"a":1}}}}', forbiddenKey],
  ['/leads', '{"data":{"\\u005f_proto__":{"a":1}}}', forbiddenKey],
  ['/leads', '{"data":{"a\\u0000b":1}}', brokenKey],
  ['/leads', '{"additionalData":{"x":[{"\\ud800":1}]}}', brokenKey],
  ['/leads', '{"data":{"a":{"_bsontype":"ObjectId"}}}', reservedKey],
  ['/leads', '{"data":{"link":{"$ref":"shop.users","$id":1}}}', reference],
  ['/leads', '{"recordSystemId":"a\\ud83d"}', surrogate],
  ['/leads', '{"data":{"a":[{"b":"x\\udc00"}]}}', surrogate],
  ['/units', '{"price":9223372036854775808}', inexact('9223372036854775808')],
  ['/units', '{"media":[-9223372036854775809]}', inexact('-9223372036854775809')],
  ['/units', '{"price":1e999}', outOfRange],
  ['/leads', nested(32), tooDeep],
  ['/leads', nested(100_000), tooDeep],
  ['/reservations/webhook', '{"reservationId":"x","chequeAmount":1e999}', outOfRange],
  ['/reservations/webhook', '{"traceId":1e400,"__proto__":1}', forbiddenKey],
  ['/reservations/webhook', '{"traceId":1e400,"_bsontype":"x"}', reservedKey],
];

const inexactNumbers: readonly (readonly [path: string, body: string, message: string])[] = [
  [
    '/reservations',
    '{"unit":"villa","cheques":[{"installmentId":"1","chequeAmount":9007199254740993}]}',
    tooManyDigits('cheques.0.chequeAmount'),
  ],
  ['/units', '{"compound":"lake","unitId":"n","price":9007199254740993}', tooManyDigits('price')],
];

const positive = (field: string) => `${field} must be a positive number`;
const flag = (field: string) => `${field} must be 0 or 1`;
const plain = (field: string) => `${field} must be a non-negative decimal number`;
const unknownParameter = (field: string) => `${field} is not a known parameter`;
const values = (field: string) => `${field} must be one or more values separated by commas`;
const since = 'updatedSince must be an ISO 8601 date';
const sorting =
  'sort must be a comma-separated list of createdAt, updatedAt, price, bua, beds, name, unitId, status, each at most once; prefix a field with - for descending order';
const notFound = ['compound: moon', 'phase: x', 'unitDesign: y', 'propertyType: castle'];

const valueOf = (field: string, list: string) =>
  `${field} must be one of the following values: ${list}`;

const queries: Readonly<Record<string, readonly QueryRow[]>> = {
  '/compounds': [
    ['page=1&page=2', positive('page')],
    ['page[a]=1&page=%200x1', positive('page')],
    ['page=9007199254740992', positive('page')],
    ['limit=101', 'limit must not exceed 100'],
    ['limit=99999999999999999999', 'limit must not exceed 100'],
    ['all=true&page=0', positive('page'), flag('all')],
    ['updatedSince=yesterday', since],
    ['includeDeleted=yes', flag('includeDeleted')],
  ],
  '/units': [
    ['api-key=x', unknownParameter('api-key')],
    ['page=0', positive('page')],
    ['limit=101', 'limit must not exceed 100'],
    ['all=1', unknownParameter('all')],
    ['status=', values('status')],
    ['status=a,,b', values('status')],
    ['unitId=a&unitId=b', values('unitId')],
    [
      'compound=lake,moon&phase=x&propertyType=castle&unitDesign=y',
      ...notFound.map((field) => field.replace(':', ' not found:')),
    ],
    ['unitId=a%00', `unitId ${characters}`],
    ['minPrice=-1', plain('minPrice')],
    ['minBeds=1&minBeds=2', plain('minBeds')],
    ['updatedSince=1700000000', since],
    ...['colour', 'price,-price', ''].map((sort): QueryRow => [`sort=${sort}`, sorting]),
  ],
  '/units/export/all': [
    ['format=xml', 'format must be one of the following values: json, csv, ndjson'],
    ['page=1', unknownParameter('page')],
    ['maxPrice=x', plain('maxPrice')],
  ],
  '/leads': [
    ['page=1', unknownParameter('page')],
    ['recordSystemId=', empty('recordSystemId')],
    ['recordSystemId=a&recordSystemId=b', string('recordSystemId')],
    ['recordSystemId=a%00', `recordSystemId ${characters}`],
    ['phone=12&email=', 'phone must be a phone number with at least 5 digits', empty('email')],
    ['limit=0&after=0', positive('limit')],
  ],
  '/reservations': [
    ['unit=&lead=%00', empty('unit'), `lead ${characters}`],
    [
      'status=sold',
      valueOf(
        'status',
        'pending, approved, pending_cheque_collection, rejected, canceled, expired',
      ),
    ],
    ['updatedSince=yesterday', since],
  ],
  '/cheques': [
    ['status=pending,lost', valueOf('status', 'pending, collected, overdue, bounced, post_dated')],
    [
      'dueFrom=soon&dueTo=2026-13-01',
      'dueFrom must be an ISO 8601 date',
      'dueTo must be an ISO 8601 date',
    ],
    ['updatedSince=2026-01-01', unknownParameter('updatedSince')],
  ],
};

export const refusals: readonly Refusal[] = [
  ...bodies('/leads', {}, leads),
  ...bodies('/leads/batch', { leads: [{}] }, batches),
  ...bodies('/units', { unitId: 'n', compound: 'lake' }, units),
  ...bodies('/reservations', { unit: 'villa' }, reservations),
  ...bodies('/reservations/webhook', { reservationId: 'x' }, callbacks),
  ...bodies('/reservations/reconciliation', { cheques: [entry] }, ledgers),
  ...unreadable.map(([path, body, message]) => ({ method: 'post', path, body, message }) as const),
  ...inexactNumbers.map(
    ([path, body, message]) => ({ method: 'post', path, body, message: [message] }) as const,
  ),
  ...Object.entries(queries).flatMap(([path, rows]) =>
    rows.map(
      ([query, ...message]) => ({ method: 'get', path: `${path}?${query}`, message }) as const,
    ),
  ),
];
