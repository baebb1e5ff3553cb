import { randomInt } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { BSON, type Db, type Document, type ObjectId } from 'mongodb';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { Types } from 'mongoose';
import { LeadLookupService } from '../../src/leads/reading/lead-lookup.service.js';
import { ErasuresService } from '../../src/operator/erasure/erasures.service.js';
import { OrganizationsRepository } from '../../src/tenants/organizations/organizations.repository.js';
import { post } from '../idempotency/keyed-requests.js';
import { addReservation, addUnit, type Tenant } from '../support/builders.js';
import type { TenantApi } from '../support/tenant-api.js';
import { eventually } from '../support/eventually.js';
import type { WebhookService } from '../webhooks/webhook-service.js';

const receivers: Receiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.stop())));

/** A person and all values that tests store about them. */
export interface Person {
  readonly recordSystemId: string;
  readonly name: string;
  readonly phone: string;
  readonly email: string;
  /** Contains every string that could identify the person. */
  readonly values: readonly string[];
  /** Nine digits of each phone that are the same in every spelling. */
  readonly digits: readonly string[];
}

/** Generates values that no other record contains. */
export function newPerson(): Person {
  const number = () => `01${randomInt(0, 3)}${String(randomInt(0, 1e8)).padStart(8, '0')}`;
  const [phone, secondPhone, earlierPhone] = [number(), number(), number()];
  const tag = randomInt(1e9, 1e10).toString(36);
  const [name, earlierName] = [`Mona ${tag}`, `منى ${tag}x`];
  const [email, earlierEmail] = [`mona.${tag}@example.com`, `earlier.${tag}@example.com`];
  const others = [`wish ${tag}`, `key${tag}`, `campaign ${tag}`, `nested ${tag}`, `payer ${tag}`];
  const phones = [phone, secondPhone, earlierPhone];
  return {
    recordSystemId: `form-${randomInt(1e12)}`,
    name,
    phone,
    email,
    values: [name, earlierName, email, earlierEmail, ...others, ...phones],
    digits: phones.map((each) => each.slice(2)),
  };
}

/** Returns two requests with values of a person. */
export function payloadsOf({ recordSystemId, values, digits: [, second = ''] }: Person) {
  const [name, earlierName, email, earlierEmail, wish, key = '', campaign, nested] = values;
  const [phone, , earlierPhone] = values.slice(-3);
  const earlier = {
    recordSystemId,
    name: earlierName,
    email: earlierEmail,
    phoneNumber: earlierPhone,
    data: { wish, [key]: [{ nested }], long: `${campaign} `.repeat(4_000) },
    additionalData: { campaign: { deep: [campaign] } },
  };
  const now = { recordSystemId, name, email, phoneNumber: phone, phoneNumber2: `+20 1${second}` };
  return { earlier, now };
}

/**
 * Stores values of a person in all collections: two requests with stored responses, a batch, a lead that is
 * refused for its phone, callbacks, and deliveries to a receiver that echoes them.
 */
export async function addPersonalData(service: WebhookService, tenant: TenantApi, person: Person) {
  const receiver = await startReceiver((received, response) => response.end(received.body));
  receivers.push(receiver);
  await service.subscribe(tenant, receiver.url, ['lead.*', 'client.*']);
  const { url, db } = service;
  const apiKey = tenant.key;
  const { earlier, now } = payloadsOf(person);
  const { phone, recordSystemId, values } = person;
  const spelling = `+20 (${phone.slice(1, 4)}) ${phone.slice(4, 7)}-${phone.slice(7)}`;
  const requests = [
    { body: earlier },
    { body: now },
    { path: '/leads/batch', body: { leads: [{ phoneNumber: spelling }, now, { name: 'Other' }] } },
    { body: { recordSystemId: 'another', phoneNumber: spelling } },
  ];
  const responses = [];
  for (const request of requests) responses.push(await post({ url, apiKey, ...request }));
  const { _id: leadId } = await tenant.storedOne('leads', { recordSystemId });
  const unitId = await tenant.add(addUnit);
  const reservationId = await tenant.add(addReservation, unitId, { leadId });
  const payer = values.find((value) => value.startsWith('payer'));
  const callbacks = [
    { reservationId, chequeNumber: 'Kept 1', installmentId: '1', payer, phones: [{ phone }] },
    { reservationId: 'unknown', note: `call ${spelling}`, people: [person.name, 'Somebody else'] },
  ];
  for (const body of callbacks) await tenant.post('/reservations/webhook', body);
  await waitForDeliveries(db, tenant);
  return { responses, leadId: leadId as ObjectId };
}

/** Waits until every event is delivered and the worker has released the endpoints. */
export async function waitForDeliveries(db: Db, { organizationId }: Tenant): Promise<void> {
  const unfinished = {
    outboxEvents: { sequence: null },
    webhookDeliveries: { status: 'pending' },
    webhookEndpoints: { leaseOwner: { $ne: null } },
  };
  await eventually(async () => {
    for (const [name, filter] of Object.entries(unfinished)) {
      const left = await db.collection(name).countDocuments({ organizationId, ...filter });
      if (left > 0) throw new Error(`Not delivered: ${left} of ${name}`);
    }
  });
}

/** Returns all collections except those of MongoDB itself. */
export async function collectionNames(db: Db): Promise<string[]> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  return collections.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
}

/** Returns the bytes of matching documents by collection and id. */
async function documentBytes(db: Db, filter: Document): Promise<Map<string, Buffer>> {
  const bytes = new Map<string, Buffer>();
  for (const name of await collectionNames(db)) {
    for await (const raw of db.collection(name).find(filter, { raw: true })) {
      const buffer = Buffer.from(raw as unknown as Uint8Array);
      const { _id } = BSON.deserialize(buffer);
      bytes.set(`${name} ${String(_id)}`, buffer);
    }
  }
  return bytes;
}

/** Leaves out usage statistics and the activity of keys, which change during a test. */
export async function storedBytes(db: Db, filter: Document): Promise<Map<string, Buffer>> {
  const all = [...(await documentBytes(db, filter))];
  return new Map(all.filter(([place]) => !/^(usage|keyActivity) /.test(place)));
}

/**
 * Returns the person's values by the collections that contain them. Stored responses are left out, because
 * they expire.
 */
export async function findPersonalData(db: Db, person: Person, { organizationId }: Tenant) {
  const found = new Map<string, Set<string>>();
  for (const [place, bytes] of await documentBytes(db, { organizationId })) {
    const [collection = ''] = place.split(' ');
    if (collection === 'idempotencyRecords') continue;
    const text = bytes.toString('utf8');
    const onlyDigits = text.replaceAll(/[^\d]/g, '');
    const values = person.values.filter((value) => text.includes(value));
    const digits = person.digits.filter((value) => onlyDigits.includes(value));
    for (const value of [...values, ...digits]) {
      found.set(collection, (found.get(collection) ?? new Set()).add(value));
    }
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, [...values]]));
}

/** Copies all documents of a tenant and returns a function that restores them. */
export async function snapshotTenant(db: Db, { organizationId }: Tenant) {
  const dump = new Map<string, Document[]>();
  for (const name of await collectionNames(db)) {
    const options = { promoteLongs: false, promoteBuffers: false };
    dump.set(name, await db.collection(name).find({ organizationId }, options).toArray());
  }
  return async () => {
    for (const [name, documents] of dump) {
      await db.collection(name).deleteMany({ organizationId });
      if (documents.length > 0) await db.collection(name).insertMany(documents);
    }
  };
}

/** Returns a function that erases in the service's process. */
export async function createEraser({ service: { app } }: WebhookService, tenant: Tenant) {
  const erasures = app.get(ErasuresService);
  const _id = new Types.ObjectId(tenant.organizationId.toHexString());
  const organization = await app.get(OrganizationsRepository).find(_id);
  if (organization === null) throw new Error('The organization is missing.');
  const erase = async (recordSystemId: string, isDryRun = false) => {
    const leads = await app.get(LeadLookupService).findByIds(_id, recordSystemId);
    const leadIds = leads.map((lead) => lead._id);
    return erasures.erase(organization, leadIds, isDryRun);
  };
  return { erase, resume: () => erasures.resume(organization) };
}
