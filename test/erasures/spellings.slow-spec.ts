import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldCase } from '../../src/core/localization/fold-case.js';
import { post } from '../idempotency/keyed-requests.js';
import { runJson } from '../operator/command-line.js';
import { addReservation, addUnit } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';
import { waitForDeliveries, collectionNames } from './personal-data.js';

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

/** A person whose spellings replace the placeholders of generated bodies. */
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
  const withDigitsFrom = (zero: string) =>
    `0${digits}`.replaceAll(/\d/g, (digit) =>
      String.fromCharCode(zero.charCodeAt(0) + Number(digit)),
    );
  const spellings = {
    PHONE: `0${digits}`,
    'SPACED PHONE': `+20 (0) ${digits.replaceAll(/\d{2}/g, '$&\u00a0')}`,
    'DASHED PHONE': `0020${digits.replaceAll(/\d/g, '\u2010$&')}`,
    'ARABIC PHONE': withDigitsFrom('\u0660'),
    'WIDE PHONE': withDigitsFrom('\uff10'),
    'NUMERIC PHONE': Number(`20${digits}`),
    NAME: name.normalize('NFD'),
    'COMPOSED NAME': name.normalize('NFC'),
    'UPPER NAME': name.toUpperCase(),
    EMAIL: email,
    'UPPER EMAIL': email.normalize('NFD').toUpperCase(),
  };
  return { word, digits, spellings };
}

/** Replaces placeholders with variants of the person's values, also in keys. */
function fillIn(value: unknown, person: Person): unknown {
  if (typeof value === 'string') return person.spellings[value] ?? value;
  if (Array.isArray(value)) return value.map((item) => fillIn(item, person));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [fillIn(key, person), fillIn(item, person)]),
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

/** Runs a step, and returns the id of a lead that it created without an external id. */
async function runStep(
  tenant: TenantApi,
  { kind, body, isKeyed }: Step,
  person: Person,
): Promise<string | undefined> {
  const sent = fillIn(body, person) as Fields;
  const isActive = { isDeleted: false };
  const send = (sentBody: object, path = '/leads') => {
    const key = isKeyed ? {} : { key: null };
    return post({ url: service.url, apiKey: tenant.key, ...key, path, body: sentBody });
  };
  if (kind === 'lead') await send(sent);
  if (kind === 'batch') await send({ leads: [sent, sent] }, '/leads/batch');
  if (kind === 'callback') await send(sent, '/reservations/webhook');
  if (kind === 'delete') await tenant.delete(`/leads/${recordSystemId}`);
  if (kind === 'other lead' && (await tenant.count('leads', isActive)) > 0) {
    const { phoneNumber = '01000000000' } = sent;
    const { status, text } = await send({ phoneNumber });
    // The service refuses the phone if the person's lead has it. Otherwise the person has a second lead.
    if (status === 201) return (JSON.parse(text) as { lead: { _id: string } }).lead._id;
  }
  if (kind === 'foreign client') {
    const $replaceWith = { $mergeObjects: ['$$ROOT', { $literal: sent }] };
    const own = { organizationId: tenant.organizationId, ...isActive };
    await service.db.collection('clients').updateMany(own, [{ $replaceWith }]);
  }
  return undefined;
}

/** Returns the tenant's documents that contain any variant of the person's values. */
async function remainingData(tenant: TenantApi, { word, digits }: Person): Promise<string[]> {
  const texts: string[] = [];
  for (const collection of await collectionNames(service.db)) {
    // Stored responses are not erased; they expire.
    if (collection === 'idempotencyRecords') continue;
    const documents = await tenant.stored(collection);
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
  let storedCount = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (stepsToRun, isDelivered) => {
      const tenant = await service.addTenant();
      await service.subscribe(tenant, receiver.url, ['lead.*', 'client.*']);
      const reservationId = await tenant.add(addReservation, await tenant.add(addUnit));
      const { spellings, ...values } = newPerson();
      const RESERVATION = reservationId.toHexString();
      const person = { ...values, spellings: { ...spellings, RESERVATION } };
      const ids: (string | undefined)[] = [];
      for (const step of stepsToRun) ids.push(await runStep(tenant, step, person));
      if (isDelivered) await waitForDeliveries(service.db, tenant);
      storedCount += (await remainingData(tenant, person)).length;
      if ((await tenant.count('leads', { recordSystemId })) > 0) ids.push(recordSystemId);
      const org = tenant.organizationId.toHexString();
      for (const id of ids.filter((each) => each !== undefined)) {
        const args = ['lead', 'erase', '--org', org, '--lead', id];
        await runJson(args, { MONGODB_URI: service.databaseUri });
      }
      await waitForDeliveries(service.db, tenant);
      expect(await remainingData(tenant, person)).toEqual([]);
    }),
    { numRuns: rounds(15, 40), endOnFailure: true },
  );
  expect(storedCount).toBeGreaterThan(0);
});
