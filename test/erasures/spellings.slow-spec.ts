import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Db, Document, ObjectId } from 'mongodb';
import { foldCase } from '../../src/core/localization/fold-case.js';
import { post } from '../idempotency/keyed-requests.js';
import { runJson } from '../operator/command-line.js';
import { addReservation, addTenant, addUnit, type Tenant } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';
import { allDelivered } from './traces.js';

const recordSystemId = 'form-1';

let service: WebhookService;
let receiver: Receiver;
let reservationId: ObjectId;

beforeAll(async () => {
  service = await startWebhookService();
  receiver = await startReceiver((received, response) => response.end(received.body));
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

/** One person: the words and digits that nobody else has, whatever is made of them. */
interface Identity {
  readonly word: string;
  readonly phones: readonly string[];
}

function newIdentity(): Identity {
  const phone = () => `1${randomInt(0, 3)}${String(randomInt(0, 1e8)).padStart(8, '0')}`;
  return { word: `q${randomInt(1e11, 1e12).toString(36)}é`, phones: [phone(), phone()] };
}

type Spelling = (identity: Identity) => unknown;

/** Digits of scripts that the service reads as phones. */
const zeros = ['0', '\u0660', '\u06f0', '\uff10'];
const between = [
  '',
  ' ',
  '-',
  '.',
  ' - ',
  '/',
  '\u00a0',
  '\u2010',
  '\u2013',
  '\u2212',
  '\u30fc',
  '~',
];

/** Phones as people type them, in every form that is read as one number. */
const phone: fc.Arbitrary<Spelling> = fc
  .record({
    which: fc.nat(1),
    prefix: fc.constantFrom('0', '+20', '0020', '+20 ', '(+20)', '+20 (0)', '\uff0b20'),
    zero: fc.constantFrom(...zeros),
    cuts: fc.array(fc.constantFrom(...between), { minLength: 9, maxLength: 9 }),
    isCut: fc.boolean(),
  })
  .map(({ which, prefix, zero, cuts, isCut }) => ({ phones }: Identity) => {
    const [first = '', ...others] = phones[which] ?? '';
    const number = others.reduce(
      (text, digit, at) => text + (isCut ? cuts[at] : '') + digit,
      first,
    );
    return `${prefix}${number}`.replaceAll(/[0-9]/g, (digit) =>
      String.fromCharCode(zero.charCodeAt(0) + Number(digit)),
    );
  });
const numericPhone: fc.Arbitrary<Spelling> = fc.constantFrom('', '20').map(
  (prefix) =>
    ({ phones: [first] }: Identity) =>
      Number(`${prefix}${first}`),
);

const cased = fc
  .tuple(fc.constantFrom('NFC', 'NFD'), fc.constantFrom('toLowerCase', 'toUpperCase', 'trim'))
  .map(
    ([form, change]) =>
      (text: string) =>
        text.normalize(form)[change](),
  );
const email: fc.Arbitrary<Spelling> = cased.map(
  (change) =>
    ({ word }) =>
      `${change(`m.${word}`)}@example.com`,
);
const name: fc.Arbitrary<Spelling> = fc
  .tuple(cased, fc.constantFrom('', 'منى ', 'Ⅷ ', '👩‍💻 ', 'ﬁ '))
  .map(
    ([change, before]) =>
      ({ word }) =>
        before + change(`Mona ${word}`),
  );
const value: fc.Arbitrary<Spelling> = fc.oneof(phone, numericPhone, email, name);

/** Bodies with values of a person in any field. */
type Body = (identity: Identity) => Record<string, unknown>;

const fields = (kinds: Readonly<Record<string, fc.Arbitrary<Spelling>>>): fc.Arbitrary<Body> =>
  fc
    .record(kinds, { requiredKeys: [] })
    .map(
      (spellings) => (identity) =>
        Object.fromEntries(
          Object.entries(spellings).map(([key, spell]) => [key, spell?.(identity)]),
        ),
    );
/** Values below other names. */
const nested: fc.Arbitrary<Body> = fc
  .dictionary(fc.constantFrom('a', 'a.b', 'a.', '$x', '', 'wish'), value)
  .map(
    (spellings) => (identity) =>
      Object.fromEntries(
        Object.entries(spellings).map(([place, spell]) => [place, [{ in: spell(identity) }]]),
      ),
  );
/** As {@link nested}, with a value as a name, too. */
const free: fc.Arbitrary<Body> = fc.tuple(nested, value).map(([fieldsOf, key]) => (identity) => ({
  ...fieldsOf(identity),
  [String(key(identity))]: 1,
}));

const contact = { name, email, phoneNumber: phone, phoneNumber2: phone };
const lead: fc.Arbitrary<Body> = fc
  .tuple(
    fields(contact),
    fields({ ...contact, phoneNumber: fc.oneof(phone, numericPhone), leadSource: value }),
    free,
    free,
  )
  .map(([flat, known, data, additionalData]) => (identity) => ({
    recordSystemId,
    ...flat(identity),
    data: { ...data(identity), ...known(identity) },
    additionalData: additionalData(identity),
  }));
const callback: fc.Arbitrary<Body> = fc
  .tuple(
    fields({
      reservationId: value,
      chequeAmount: fc.oneof(phone, email, name),
      chequeStatus: value,
      reservationStatus: value,
      note: value,
    }),
    free,
    fc.boolean(),
  )
  .map(([known, others, isOwn]) => (identity) => ({
    ...others(identity),
    ...known(identity),
    ...(isOwn ? { reservationId: reservationId.toHexString() } : {}),
  }));

interface Step {
  readonly kind: 'lead' | 'batch' | 'delete' | 'callback' | 'other lead' | 'foreign client';
  readonly body: Body;
  readonly isKeyed: boolean;
}
const stepOf = (kind: Step['kind'], body: fc.Arbitrary<Body>): fc.Arbitrary<Step> =>
  fc.record({ kind: fc.constant(kind), body, isKeyed: fc.boolean() });
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: stepOf('lead', lead) },
    stepOf('batch', lead),
    stepOf('delete', nested),
    { weight: 3, arbitrary: stepOf('callback', callback) },
    stepOf('other lead', fields(contact)),
    stepOf('foreign client', nested),
  ),
  { minLength: 2, maxLength: 8 },
);

async function take(
  { key, organizationId }: Tenant,
  { kind, body, isKeyed }: Step,
  who: Identity,
): Promise<void> {
  const { url, db } = service;
  const sent = body(who);
  const keyed = { url, apiKey: key, ...(isKeyed ? {} : { key: null }) };
  const active = { organizationId, isDeleted: false };
  if (kind === 'lead') await post({ ...keyed, body: sent });
  if (kind === 'batch') {
    await post({ ...keyed, path: '/leads/batch', body: { leads: [sent, { ...sent }] } });
  }
  if (kind === 'callback') await post({ ...keyed, path: '/reservations/webhook', body: sent });
  if (kind === 'delete') {
    await service.api('delete', `/leads/${recordSystemId}`).set('api-key', key);
  }
  if (kind === 'other lead' && (await db.collection('leads').countDocuments(active)) > 0) {
    const { phoneNumber = '01000000000' } = sent;
    const { status, text } = await post({ ...keyed, body: { phoneNumber } });
    // It is refused wherever the person's lead has the phone, and is the person's otherwise.
    if (status === 201) others.push((JSON.parse(text) as { lead: { _id: string } }).lead._id);
  }
  if (kind === 'foreign client') {
    const $replaceWith = { $mergeObjects: ['$$ROOT', { $literal: sent }] };
    await db.collection('clients').updateMany(active, [{ $replaceWith }]);
  }
}

/** Leads of the person that came without an external id. */
let others: string[] = [];

/** The values of a person in a value, its keys included, whatever they are written like. */
function tracesIn(stored: unknown, who: Identity): string[] {
  if (Array.isArray(stored)) return stored.flatMap((item) => tracesIn(item, who));
  const isObject = typeof stored === 'object' && stored !== null && !('_bsontype' in stored);
  if (isObject && !(stored instanceof Date)) {
    return Object.entries(stored).flatMap(([key, item]) => [
      ...tracesIn(key, who),
      ...tracesIn(item, who),
    ]);
  }
  const text = foldCase(String(stored).normalize('NFKC'));
  const digits = text.replaceAll(/\p{Nd}/gu, digitOf).replaceAll(/\D/g, '');
  const isThere =
    text.includes(foldCase(who.word)) || who.phones.some((one) => digits.includes(one));
  return isThere ? [text] : [];
}

/** Its value: every script has its digits in a row. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const isDigit = (point: number) => /\p{Nd}/u.test(String.fromCodePoint(point));
  let zero = code;
  while (isDigit(zero - 1)) zero--;
  return String((code - zero) % 10);
}

async function tracesOf(db: Db, organizationId: ObjectId, who: Identity) {
  const found: (readonly [string, readonly string[]])[] = [];
  for (const { name: collection } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (collection.startsWith('system.') || collection === 'idempotencyRecords') continue;
    const documents: Document[] = await db
      .collection(collection)
      .find({ organizationId })
      .toArray();
    const traces = documents.flatMap((document) => tracesIn(document, who));
    if (traces.length > 0) found.push([collection, traces]);
  }
  return Object.fromEntries(found);
}

it('an erasure removes every spelling of a value, except from stored responses', async () => {
  let planted = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (taken, isDelivered) => {
      const who = newIdentity();
      others = [];
      const tenant = await addTenant(service.db);
      const { organizationId } = tenant;
      await service.subscribe(tenant, receiver.url, ['lead.*', 'client.*']);
      const unitId = await addUnit(service.db, organizationId);
      reservationId = await addReservation(service.db, organizationId, unitId);
      for (const step of taken) await take(tenant, step, who);
      if (isDelivered) await allDelivered(service.db, tenant);
      const before = await tracesOf(service.db, organizationId, who);
      planted += Object.keys(before).length;
      const named = await service.db
        .collection('leads')
        .countDocuments({ organizationId, recordSystemId });
      for (const id of [...(named > 0 ? [recordSystemId] : []), ...others]) {
        const args = ['lead', 'erase', '--org', organizationId.toHexString(), '--lead', id];
        await runJson(args, { MONGODB_URI: service.databaseUri });
      }
      await allDelivered(service.db, tenant);
      expect(await tracesOf(service.db, organizationId, who)).toEqual({});
    }),
    { numRuns: rounds(15, 40), endOnFailure: true },
  );
  expect(planted).toBeGreaterThan(0);
});
