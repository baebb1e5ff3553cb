import { createHash, randomInt } from 'node:crypto';
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

/**
 * A body that an endpoint accepts: it changes one of the tenant's own things.
 *
 * @param turn which of them
 * @returns undefined for an endpoint that is not known here
 */
export function acceptedBody(
  { ids }: TenantData,
  operation: string,
  turn: number,
): Readonly<Record<string, unknown>> | undefined {
  const own = (kind: string) => ids[kind]?.[turn % spread] ?? '';
  switch (operation) {
    case 'POST /leads':
      return { recordSystemId: `lead-${turn % spread}` };
    case 'POST /leads/batch':
      return { leads: [{ recordSystemId: `lead-${turn % spread}` }] };
    case 'POST /units':
      return { recordSystemId: `unit-${turn % spread}`, compound: own('slug of a compound') };
    case 'POST /reservations':
      return {
        recordSystemId: own('external id of a reservation'),
        unit: own('slug of a unit'),
      };
    case 'POST /reservations/webhook':
      return {
        reservationId: own('a reservation'),
        installmentId: own('installment'),
        chequeStatus: 'post_dated',
      };
    case 'POST /reservations/reconciliation':
      return {
        cheques: [
          {
            reservationId: own('a reservation'),
            installmentId: own('installment'),
            chequeStatus: 'post_dated',
          },
        ],
        complete: true,
      };
    default:
      return undefined;
  }
}

/** Writes a tenant with as many of everything as there should be. */
export async function addTenantData(db: Db, count: number): Promise<TenantData> {
  const tenant = await addTenant(db);
  const { organizationId } = tenant;
  const ids: Record<string, string[]> = { 'an organization': [organizationId.toHexString()] };
  const keep = (kind: string, id: ObjectId | string | number) => {
    (ids[kind] ??= []).push(typeof id === 'object' ? id.toHexString() : String(id));
  };
  const text = (kind: string) => {
    const id = unusedId(kind);
    keep(kind, id);
    return id;
  };
  for (let index = 0; index < count; index++) {
    const compoundId = await addCompound(
      db,
      organizationId,
      { 'en-us': text('name of a compound') },
      { slug: text('slug of a compound') },
    );
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
    keep('a compound', compoundId);
    keep('a phase', phaseId);
    keep('a property type', propertyTypeId);
    keep('a unit design', unitDesignId);
    keep('an amenity', amenityId);
    keep('a unit', unitId);
    keep('a client', clientId);
    keep('a lead', leadId);
    keep('number of a lead', leadNumber);
    keep('a reservation', reservationId);
    keep('a wallet', walletId);
  }
  return { ...tenant, ids };
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
