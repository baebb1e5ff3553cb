import { createHash, randomInt } from 'node:crypto';
import { expect } from '@jest/globals';
import { BSON, type Db, type Document, ObjectId } from 'mongodb';
import {
  addCatalogue,
  addClient,
  addCompound,
  addLead,
  addReservation,
  addTenant,
  addWallet,
  type Tenant,
} from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { jsonWith, type Operation, type Position } from '../support/operations.js';
import type { SentRequest } from './requests.js';

/** A tenant with some of everything, and all ids of it by their kind. */
export interface TenantData extends Tenant {
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

/** An unknown id of each kind. */
export function unusedId(kind: string): string {
  if (kind === 'number of a lead') return String(randomInt(2 ** 40, 2 ** 41));
  const hex = new ObjectId().toHexString();
  return isText(kind) ? `${kind.replaceAll(' ', '-')}-${hex}` : hex;
}

/** Ids that partners and operators choose; the others are the database's. */
function isText(kind: string): boolean {
  return /slug|name|external|unitId|installment|idempotency/i.test(kind);
}

/** How many things of their own callers change in turn: requests for one wait for each other. */
export const spread = 8;

/** Bodies that endpoints accept: they change one of the tenant's own things. */
const acceptedBodies: Readonly<
  Record<string, (own: (kind: string) => string, number: number) => object>
> = {
  'POST /leads': (_, number) => ({ recordSystemId: `lead-${number}` }),
  'POST /leads/batch': (_, number) => ({ leads: [{ recordSystemId: `lead-${number}` }] }),
  'POST /units': (own, number) => {
    return { recordSystemId: `unit-${number}`, compound: own('slug of a compound') };
  },
  'POST /reservations': (own) => {
    return { recordSystemId: own('external id of a reservation'), unit: own('slug of a unit') };
  },
  'POST /reservations/webhook': chequeReport,
  'POST /reservations/reconciliation': (own) => ({ cheques: [chequeReport(own)], complete: true }),
};

function chequeReport(own: (kind: string) => string) {
  const ids = { reservationId: own('a reservation'), installmentId: own('installment') };
  return { ...ids, chequeStatus: 'post_dated' };
}

/**
 * A request that an endpoint accepts, except for a text at a position.
 *
 * @param text as it is written there: encoded, as JSON, or neither
 * @param turn which of the tenant's things it changes
 */
export function requestWith(
  { key, ids }: TenantData,
  { name, method, path, hasBody, exampleBody }: Operation,
  { place, steps }: Position,
  text: string | Buffer,
  turn: number,
): SentRequest {
  const number = turn % spread;
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

/** Writes a tenant with as many of everything as there should be. */
export async function addTenantData(db: Db, count: number): Promise<TenantData> {
  const tenant = await addTenant(db);
  const { organizationId } = tenant;
  const ids: Record<string, string[]> = { 'an organization': [organizationId.toHexString()] };
  const text = (kind: string) => {
    const id = unusedId(kind);
    (ids[kind] ??= []).push(id);
    return id;
  };
  for (let index = 0; index < count; index++) {
    const name = { 'en-us': text('name of a compound') };
    const slug = text('slug of a compound');
    const compoundId = await addCompound(db, organizationId, name, { slug });
    const add = (collection: Parameters<typeof addCatalogue>[1], fields: Document) =>
      addCatalogue(db, collection, organizationId, fields);
    const phaseId = await add('phases', {
      parentId: compoundId,
      slug: text('slug of a phase'),
      name: { 'en-us': 'Phase' },
    });
    const propertyTypeId = await add('propertyTypes', {
      slug: text('slug of a property type'),
      name: { 'en-us': text('name of a property type') },
    });
    const unitDesignId = await add('unitDesigns', {
      slug: text('slug of a unit design'),
      name: { 'en-us': 'Design' },
    });
    const amenityId = await add('amenities', { name: { 'en-us': text('name of an amenity') } });
    const unitId = await add('units', {
      compoundId,
      locationId: phaseId,
      propertyTypeId,
      unitDesignId,
      amenitiesIds: [amenityId],
      unitId: text('unitId'),
      recordSystemId: text('external id of a unit'),
      slug: text('slug of a unit'),
      name: { 'en-us': 'Unit' },
      status: 'Available',
      rentalStatus: 'Unavailable',
      saleType: 'primary',
      price: index,
    });
    const clientId = await addClient(db, organizationId, { name: 'Mona', phoneNumbers: [] });
    const leadNumber = randomInt(2 ** 40, 2 ** 41);
    const leadId = await addLead(db, organizationId, {
      recordSystemId: text('external id of a lead'),
      leadId: leadNumber,
      clientId,
      data: { name: 'Mona' },
    });
    const reservationId = await addReservation(db, organizationId, unitId, {
      recordSystemId: text('external id of a reservation'),
      leadId,
    });
    const walletId = await addWallet(db, organizationId, {
      reservationId,
      unitId,
      cheques: [{ installmentId: text('installment') }],
    });
    const kept = {
      'a compound': compoundId,
      'a phase': phaseId,
      'a property type': propertyTypeId,
      'a unit design': unitDesignId,
      'an amenity': amenityId,
      'a unit': unitId,
      'a client': clientId,
      'a lead': leadId,
      'number of a lead': leadNumber,
      'a reservation': reservationId,
      'a wallet': walletId,
    };
    for (const [kind, id] of Object.entries(kept)) (ids[kind] ??= []).push(String(id));
  }
  return { ...tenant, ids };
}

/** Waits until the background pass over phones has nothing to do that would change what is stored. */
export async function untilPhonesDerived(db: Db, ...tenants: readonly Tenant[]): Promise<void> {
  const $in = tenants.map(({ organizationId }) => organizationId);
  await eventually(async () => {
    const waiting = { organizationId: { $in }, phoneKeysAt: null };
    expect(await db.collection('leads').countDocuments(waiting)).toBe(0);
  });
}

/** Collections that a refused request may write: when a key was used, what was answered to what. */
const ofRequests = ['apiKeys', 'reservationCallbacks', 'idempotencyRecords'];

/** Everything that is stored of an organization, by collection, as a hash each. */
export async function storedOf(db: Db, organizationId: ObjectId): Promise<Record<string, string>> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = collections.map(({ name }) => name).filter((name) => !ofRequests.includes(name));
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

/** The ids of the other organization's documents that anything of an organization refers to. */
export async function foreignReferences(
  db: Db,
  { organizationId }: Tenant,
  other: Tenant,
): Promise<string[]> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const foreign = new Set([other.organizationId.toHexString()]);
  const own: Document[] = [];
  for (const { name } of collections) {
    for (const { _id } of await documentsOf(db, name, other.organizationId))
      foreign.add(String(_id));
    own.push(...(await documentsOf(db, name, organizationId)));
  }
  return own.flatMap(objectIdsIn).filter((id) => foreign.has(id));
}

async function documentsOf(db: Db, name: string, organizationId: ObjectId): Promise<Document[]> {
  return db.collection(name).find({ organizationId }).sort({ _id: 1 }).toArray();
}

function objectIdsIn(value: unknown): string[] {
  if (value instanceof ObjectId) return [value.toHexString()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(objectIdsIn);
}
