import { createHash, randomInt } from 'node:crypto';
import { expect } from '@jest/globals';
import { BSON, type Db, type Document, ObjectId } from 'mongodb';
import { addTenant, conventions, type Tenant, type TenantOverrides } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { jsonWith, type Operation, type Position } from '../support/operations.js';
import type { SentRequest } from './requests.js';

/** A tenant with records of every kind, and their ids by kind. */
export interface TenantData extends Tenant {
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

export function unusedId(kind: string): string {
  if (kind === 'number of a lead') return String(randomInt(2 ** 40, 2 ** 41));
  const hex = new ObjectId().toHexString();
  return isText(kind) ? `${kind.replaceAll(' ', '-')}-${hex}` : hex;
}

/** Partners and operators choose these ids, while the database creates all others. */
function isText(kind: string): boolean {
  return /slug|name|external|unitId|installment|idempotency/i.test(kind);
}

/** Requests for one record wait for each other, so they take turns over this many records. */
export const recordsPerKind = 8;

/** Returns accepted bodies, each of which changes one of the tenant's own records. */
const acceptedBodies: Readonly<
  Record<string, (idOf: (kind: string) => string, number: number) => object>
> = {
  'POST /leads': (_, number) => ({ recordSystemId: `lead-${number}` }),
  'POST /leads/batch': (_, number) => ({ leads: [{ recordSystemId: `lead-${number}` }] }),
  'POST /units': (idOf, number) => {
    return { recordSystemId: `unit-${number}`, compound: idOf('slug of a compound') };
  },
  'POST /reservations': (idOf) => {
    return { recordSystemId: idOf('external id of a reservation'), unit: idOf('slug of a unit') };
  },
  'POST /reservations/webhook': chequeReport,
  'POST /reservations/reconciliation': (idOf) => ({
    cheques: [chequeReport(idOf)],
    complete: true,
  }),
};

function chequeReport(idOf: (kind: string) => string) {
  const ids = { reservationId: idOf('a reservation'), installmentId: idOf('installment') };
  return { ...ids, chequeStatus: 'post_dated' };
}

/**
 * Creates a request that an endpoint accepts, except for a text at a position.
 *
 * @param text as the position needs it: encoded, as JSON, or neither
 * @param turn selects the record that the request changes
 */
export function requestWith(
  { key, ids }: TenantData,
  { name, method, path, hasBody, exampleBody }: Operation,
  { place, steps }: Position,
  text: string | Buffer,
  turn: number,
): SentRequest {
  const number = turn % recordsPerKind;
  const base = acceptedBodies[name]?.((kind) => ids[kind]?.[number] ?? '', number) ?? exampleBody;
  const filled = path.replace(/\{\w+\}/, () => (place === 'path' ? String(text) : 'none'));
  return {
    method,
    path: place === 'query' ? `${filled}?${String(text)}` : filled,
    headers: {
      'api-key': key,
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(place === 'header' ? { [steps[0] ?? '']: String(text) } : {}),
    },
    ...(hasBody
      ? { body: place === 'body' ? jsonWith(base, steps, text) : JSON.stringify(base) }
      : {}),
  };
}

/** Writes a tenant with this many linked records of each kind. */
export async function addTenantData(
  db: Db,
  count: number,
  overrides?: TenantOverrides,
): Promise<TenantData> {
  const tenant = await addTenant(db, overrides);
  const { organizationId } = tenant;
  const ids: Record<string, string[]> = {};
  const keep = <T>(kind: string, id: T): T => {
    (ids[kind] ??= []).push(String(id));
    return id;
  };
  const text = (kind: string) => keep(kind, unusedId(kind));
  const add = async (kind: string, collection: string, fields: Document) => {
    const document = { ...conventions(organizationId), ...fields };
    await db.collection(collection).insertOne(document);
    return keep(kind, document._id);
  };
  keep('an organization', organizationId);
  for (let index = 0; index < count; index++) {
    const phone = keep('phone', `+2010${String(randomInt(1e8)).padStart(8, '0')}`);
    const person = { name: 'Mona', email: `m${phone}@example.com` };
    const compoundId = await add('a compound', 'compounds', {
      slug: text('slug of a compound'),
      name: { 'en-us': text('name of a compound') },
    });
    const locationId = await add('a phase', 'phases', {
      parentId: compoundId,
      slug: text('slug of a phase'),
      name: { 'en-us': 'Phase', 'ar-eg': 'مرحلة' },
    });
    const propertyTypeId = await add('a property type', 'propertyTypes', {
      slug: text('slug of a property type'),
      name: { 'en-us': text('name of a property type') },
    });
    const unitDesignId = await add('a unit design', 'unitDesigns', {
      slug: text('slug of a unit design'),
      name: { 'en-us': 'Design' },
    });
    const amenity = { name: { 'en-us': text('name of an amenity') } };
    const amenityId = await add('an amenity', 'amenities', amenity);
    const catalogue = { compoundId, locationId, propertyTypeId, unitDesignId };
    const sale = { status: 'Available', rentalStatus: 'Unavailable', saleType: 'primary' };
    const unitId = await add('a unit', 'units', {
      ...catalogue,
      ...sale,
      unitId: text('unitId'),
      recordSystemId: text('external id of a unit'),
      slug: text('slug of a unit'),
      name: { 'en-us': 'Unit' },
      amenitiesIds: [amenityId],
      price: index,
    });
    const assignedToId = await add('a user', 'users', { name: 'Omar' });
    const clientId = await add('a client', 'clients', { ...person, phoneNumbers: [phone] });
    const owners = { clientId, assignedToId, compoundsIds: [compoundId] };
    const leadId = await add('a lead', 'leads', {
      ...owners,
      parentId: null,
      isActive: true,
      recordSystemId: text('external id of a lead'),
      leadId: keep('number of a lead', randomInt(2 ** 40, 2 ** 41)),
      data: { ...person, phoneNumber: phone },
      additionalData: { a: 1 },
    });
    await add('a change', 'changeLogs', {
      entity: 'Lead',
      entityId: leadId,
      context: 'External Lead Create',
      changes: [{ field: 'data.name', from: null, to: 'Mona' }],
    });
    const reservationId = await add('a reservation', 'reservations', {
      unitId,
      leadId,
      status: 'pending_cheque_collection',
      recordSystemId: text('external id of a reservation'),
      partnerCollection: { isActive: true },
    });
    const bounced = { installmentId: '1', status: 'bounced', chequeNumber: '7', chequeAmount: 5 };
    const statusHistory = [{ ...bounced, changedAt: new Date(), source: 'callback' }];
    await add('a wallet', 'chequeWallets', {
      reservationId,
      unitId,
      cheques: [
        { installmentId: text('installment'), status: 'pending', statusHistory: [] },
        { ...bounced, dueDate: new Date(), statusHistory },
      ],
    });
  }
  return { ...tenant, ids };
}

/** Waits until the background job for phones has no more documents to change. */
export async function waitForPhones(db: Db, ...tenants: readonly Tenant[]): Promise<void> {
  const organizationId = { $in: tenants.map((tenant) => tenant.organizationId) };
  const count = (name: string, field: string) =>
    db.collection(name).countDocuments({ organizationId, [field]: null });
  await eventually(async () => {
    expect(await count('leads', 'phoneKeysAt')).toBe(0);
    expect(await count('clients', 'phoneRule')).toBe(0);
  });
}

/** Even a refused request may write to these: the last use of its key, and its own log and response. */
const perRequest = ['apiKeys', 'reservationCallbacks', 'idempotencyRecords'];

/** Returns a hash of the stored documents of an organization for each collection. */
export async function snapshot(db: Db, organizationId: ObjectId): Promise<Record<string, string>> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = collections.map(({ name }) => name).filter((name) => !perRequest.includes(name));
  const hashes = await Promise.all(
    names.map(async (name) => {
      const documents = await documentsOf(db, name, organizationId);
      if (documents.length === 0) return [];
      const hash = createHash('sha256').update(BSON.EJSON.stringify(documents)).digest('hex');
      return [[name, hash] as const];
    }),
  );
  return Object.fromEntries(hashes.flat());
}

/** Returns the ids of the other organization to which documents of an organization refer. */
export async function foreignReferences(
  db: Db,
  { organizationId }: Tenant,
  other: Tenant,
): Promise<string[]> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const foreign = new Set([other.organizationId.toHexString()]);
  const idOf: Document[] = [];
  for (const { name } of collections) {
    for (const { _id } of await documentsOf(db, name, other.organizationId))
      foreign.add(String(_id));
    idOf.push(...(await documentsOf(db, name, organizationId)));
  }
  return idOf.flatMap(objectIdsIn).filter((id) => foreign.has(id));
}

async function documentsOf(db: Db, name: string, organizationId: ObjectId): Promise<Document[]> {
  return db.collection(name).find({ organizationId }).sort({ _id: 1 }).toArray();
}

function objectIdsIn(value: unknown): string[] {
  if (value instanceof ObjectId) return [value.toHexString()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(objectIdsIn);
}
