import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Document } from 'mongodb';
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

beforeAll(async () => {
  service = await startWebhookService();
  receiver = await startReceiver((received, response) => response.end(received.body));
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

type Fields = Readonly<Record<string, unknown>>;

/** One person: what is sent in place of each spelling that a generated body names. */
interface Person {
  readonly word: string;
  readonly digits: string;
  readonly spellings: Readonly<Record<string, string | number>>;
}

const phoneNames = ['PHONE', 'SPACED PHONE', 'DASHED PHONE', 'ARABIC PHONE', 'WIDE PHONE'];
const names = ['NAME', 'COMPOSED NAME', 'UPPER NAME'];
const emails = ['EMAIL', 'UPPER EMAIL'];

function newPerson(): Person {
  const digits = `1${randomInt(0, 3)}${String(randomInt(0, 1e8)).padStart(8, '0')}`;
  const word = `q${randomInt(1e11, 1e12).toString(36)}é`;
  const [name, email] = [`منى Ⅷ ﬁ 👩‍💻 ${word}`, `m.${word}@example.com`];
  const inScript = (zero: string) =>
    `0${digits}`.replaceAll(/\d/g, (digit) =>
      String.fromCharCode(zero.charCodeAt(0) + Number(digit)),
    );
  const spellings = {
    PHONE: `0${digits}`,
    'SPACED PHONE': `+20 (0) ${digits.replaceAll(/\d{2}/g, '$&\u00a0')}`,
    'DASHED PHONE': `0020${digits.replaceAll(/\d/g, '\u2010$&')}`,
    'ARABIC PHONE': inScript('\u0660'),
    'WIDE PHONE': inScript('\uff10'),
    'NUMERIC PHONE': Number(`20${digits}`),
    NAME: name.normalize('NFD'),
    'COMPOSED NAME': name.normalize('NFC'),
    'UPPER NAME': name.toUpperCase(),
    EMAIL: email,
    'UPPER EMAIL': email.normalize('NFD').toUpperCase(),
  };
  return { word, digits, spellings };
}

/** A body with the spellings of a person in place of their names, in keys too. */
function spelled(value: unknown, person: Person): unknown {
  if (typeof value === 'string') return person.spellings[value] ?? value;
  if (Array.isArray(value)) return value.map((item) => spelled(item, person));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [spelled(key, person), spelled(item, person)]),
  );
}

const phone = fc.constantFrom(...phoneNames);
const name = fc.constantFrom(...names);
const email = fc.constantFrom(...emails);
const spelledText = fc.oneof(phone, name, email);
const value = fc.oneof(spelledText, fc.constant('NUMERIC PHONE'));
const some = (kinds: Record<string, fc.Arbitrary<string>>) =>
  fc.record(kinds, { requiredKeys: [] });
const nested = fc.dictionary(
  fc.constantFrom('a', 'a.b', 'a.', '$x', '', 'wish', ...names),
  value.map((one) => [{ in: one }]),
);

const contact = { name, email, phoneNumber: phone, phoneNumber2: phone };
const lead = fc
  .tuple(some(contact), some({ ...contact, phoneNumber: value, leadSource: value }), nested, nested)
  .map(([flat, known, data, additionalData]) => ({
    recordSystemId,
    ...flat,
    data: { ...data, ...known },
    additionalData,
  }));
const callback = fc
  .tuple(
    some({ chequeAmount: spelledText, chequeStatus: value, reservationStatus: value, note: value }),
    nested,
    fc.boolean(),
  )
  .map(([known, others, isOwn]) => ({
    ...others,
    ...known,
    reservationId: isOwn ? 'RESERVATION' : 'NAME',
  }));

interface Step {
  readonly kind: 'lead' | 'batch' | 'delete' | 'callback' | 'other lead' | 'foreign client';
  readonly body: Fields;
  readonly isKeyed: boolean;
}
const stepOf = (kind: Step['kind'], body: fc.Arbitrary<Fields>): fc.Arbitrary<Step> =>
  fc.record({ kind: fc.constant(kind), body, isKeyed: fc.boolean() });
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: stepOf('lead', lead) },
    stepOf('batch', lead),
    stepOf('delete', nested),
    { weight: 3, arbitrary: stepOf('callback', callback) },
    stepOf('other lead', some(contact)),
    stepOf('foreign client', nested),
  ),
  { minLength: 2, maxLength: 8 },
);

/** @returns the id of a lead that came without an external id */
async function take(
  { key, organizationId }: Tenant,
  { kind, body, isKeyed }: Step,
  person: Person,
): Promise<string | undefined> {
  const { url, db } = service;
  const sent = spelled(body, person) as Fields;
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
    if (status === 201) return (JSON.parse(text) as { lead: { _id: string } }).lead._id;
  }
  if (kind === 'foreign client') {
    const $replaceWith = { $mergeObjects: ['$$ROOT', { $literal: sent }] };
    await db.collection('clients').updateMany(active, [{ $replaceWith }]);
  }
  return undefined;
}

/** The texts with values of a person in any spelling, in the stored documents of a tenant. */
async function tracesOf({ organizationId }: Tenant, { word, digits }: Person): Promise<string[]> {
  const texts: string[] = [];
  for (const { name: collection } of await service.db.listCollections().toArray()) {
    // Stored responses expire by themselves.
    if (collection.startsWith('system.') || collection === 'idempotencyRecords') continue;
    const documents: Document[] = await service.db
      .collection(collection)
      .find({ organizationId })
      .toArray();
    texts.push(...documents.map((document) => `${collection} ${JSON.stringify(document)}`));
  }
  return texts.filter((stored) => {
    const folded = foldCase(stored.normalize('NFKC'));
    const asciiDigits = folded
      .replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
      .replaceAll(/\D/g, '');
    return folded.includes(foldCase(word)) || asciiDigits.includes(digits);
  });
}

it('an erasure removes every spelling of a value, except from stored responses', async () => {
  let planted = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (taken, isDelivered) => {
      const tenant = await addTenant(service.db);
      const { organizationId } = tenant;
      await service.subscribe(tenant, receiver.url, ['lead.*', 'client.*']);
      const unitId = await addUnit(service.db, organizationId);
      const reservationId = await addReservation(service.db, organizationId, unitId);
      const { spellings, ...values } = newPerson();
      const RESERVATION = reservationId.toHexString();
      const person = { ...values, spellings: { ...spellings, RESERVATION } };
      const others: string[] = [];
      for (const step of taken) others.push(...[(await take(tenant, step, person)) ?? []].flat());
      if (isDelivered) await allDelivered(service.db, tenant);
      planted += (await tracesOf(tenant, person)).length;
      const named = { organizationId, recordSystemId };
      const isNamed = (await service.db.collection('leads').countDocuments(named)) > 0;
      for (const id of [...(isNamed ? [recordSystemId] : []), ...others]) {
        const args = ['lead', 'erase', '--org', organizationId.toHexString(), '--lead', id];
        await runJson(args, { MONGODB_URI: service.databaseUri });
      }
      await allDelivered(service.db, tenant);
      expect(await tracesOf(tenant, person)).toEqual([]);
    }),
    { numRuns: rounds(15, 40), endOnFailure: true },
  );
  expect(planted).toBeGreaterThan(0);
});
