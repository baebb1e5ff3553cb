import { operations } from '../../src/tenants/keys/operations.js';
import { serverTimestampPlaceholder } from '../../src/events/outbox/outbox-event.schema.js';
import { createHash, randomBytes } from 'node:crypto';
import { type Db, type Document, type InsertOneOptions, ObjectId } from 'mongodb';

export interface Tenant {
  readonly organizationId: ObjectId;
  readonly key: string;
}

export function conventions(organizationId: ObjectId): Document & { _id: ObjectId } {
  const now = new Date();
  return { _id: new ObjectId(), organizationId, isDeleted: false, createdAt: now, updatedAt: now };
}

/** Writes a document with `organizationId`, the conventional fields and the given ones. */
async function insert(
  db: Db,
  collection: string,
  organizationId: ObjectId,
  fields: Document,
): Promise<ObjectId> {
  const document = { ...conventions(organizationId), ...fields };
  await db.collection(collection).insertOne(document);
  return document._id;
}

/** Creates events as features publish them, without the changes of their records. */
export function publishedEvents(organizationId: ObjectId, count: number, fields: Document = {}) {
  const now = new Date();
  return Array.from({ length: count }, (): Document & { _id: ObjectId } => ({
    _id: new ObjectId(),
    organizationId,
    type: 'lead.created',
    data: { _id: new ObjectId().toHexString() },
    storedAt: serverTimestampPlaceholder,
    createdAt: now,
    updatedAt: now,
    ...fields,
  }));
}

/** Writes an organization and a key for it, as the admin platform would. */
export async function addTenant(
  db: Db,
  { settings = {}, apiDomain = 'api.example.com', key = {} }: TenantOverrides = {},
): Promise<Tenant> {
  const now = new Date();
  const organizationId = new ObjectId();
  await db.collection('organizations').insertOne({
    _id: organizationId,
    name: 'Nile Homes',
    logo: 'https://cdn.example.com/logo.png',
    apiDomain,
    settings,
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
  });
  return { organizationId, key: await addKey(db, organizationId, key) };
}

export interface TenantOverrides {
  readonly settings?: Document;
  readonly apiDomain?: string;
  readonly key?: Document;
}

/** Unlike a key without a list of operations, one with these reads events, too. */
export const mayReadEvents = { permissions: { allowExternal: true, operations: [...operations] } };

export async function addKey(
  db: Db,
  organizationId: ObjectId,
  overrides: Document = {},
  options: InsertOneOptions = {},
): Promise<string> {
  const key = randomBytes(16).toString('hex');
  await db.collection('apiKeys').insertOne(
    {
      ...conventions(organizationId),
      name: 'Website',
      prefix: key.slice(0, 6),
      hash: createHash('sha256').update(key).digest('hex'),
      permissions: { allowExternal: true },
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      ...overrides,
    },
    options,
  );
  return key;
}

/** Writes a lead as another program would: without the fields that the service derives. */
export function addLead(
  db: Db,
  organizationId: ObjectId,
  overrides: Document = {},
): Promise<ObjectId> {
  return insert(db, 'leads', organizationId, {
    leadId: 100_000 + Math.floor(Math.random() * 1e9),
    compoundsIds: [],
    data: {},
    additionalData: {},
    clientId: null,
    assignedToId: null,
    parentId: null,
    isActive: true,
    ...overrides,
  });
}

export function addCompound(
  db: Db,
  organizationId: ObjectId,
  name: { 'en-us': string; 'ar-eg'?: string },
  overrides: Document = {},
): Promise<ObjectId> {
  const slug = `compound-${randomBytes(4).toString('hex')}`;
  return insert(db, 'compounds', organizationId, { name, slug, ...overrides });
}

export function addCatalogue(
  db: Db,
  collection: 'amenities' | 'phases' | 'propertyTypes' | 'unitDesigns' | 'units',
  organizationId: ObjectId,
  fields: Document = {},
): Promise<ObjectId> {
  return insert(db, collection, organizationId, fields);
}

export function addUser(db: Db, organizationId: ObjectId, name: string): Promise<ObjectId> {
  return insert(db, 'users', organizationId, { name });
}

export function addClient(db: Db, organizationId: ObjectId, fields: Document): Promise<ObjectId> {
  return insert(db, 'clients', organizationId, { phoneNumbers: [], ...fields });
}

/** Writes a unit with only the fields that reservations read. */
export function addUnit(
  db: Db,
  organizationId: ObjectId,
  overrides: Document = {},
): Promise<ObjectId> {
  return insert(db, 'units', organizationId, {
    slug: `unit-${randomBytes(6).toString('hex')}`,
    name: { 'en-us': 'Apartment' },
    status: 'Available',
    ...overrides,
  });
}

export function addReservation(
  db: Db,
  organizationId: ObjectId,
  unitId: ObjectId,
  overrides: Document = {},
): Promise<ObjectId> {
  return insert(db, 'reservations', organizationId, {
    unitId,
    leadId: null,
    status: 'pending_cheque_collection',
    partnerCollection: { isActive: true },
    ...overrides,
  });
}

/** Writes a cheque wallet. Its cheques get defaults for all fields except `installmentId`. */
export function addWallet(
  db: Db,
  organizationId: ObjectId,
  fields: { reservationId: ObjectId; unitId: ObjectId; cheques: Document[] } & Document,
): Promise<ObjectId> {
  return insert(db, 'chequeWallets', organizationId, {
    ...fields,
    cheques: fields.cheques.map((cheque) => ({ status: 'pending', statusHistory: [], ...cheque })),
  });
}

/** Writes a reservation with one cheque, whose status is `cheque`. `isDeleted` marks the wallet as deleted. */
export async function addReserved(
  db: Db,
  organizationId: ObjectId,
  unitId: ObjectId,
  { cheque = 'pending', isDeleted = false, ...fields }: Document = {},
): Promise<ObjectId> {
  const reservationId = await addReservation(db, organizationId, unitId, fields);
  const cheques = [{ installmentId: '1', status: cheque }];
  const { createdAt = new Date(), updatedAt = createdAt } = fields;
  const deletion = isDeleted ? { isDeleted, deletedAt: createdAt } : {};
  const times = { createdAt, updatedAt };
  await addWallet(db, organizationId, { reservationId, unitId, cheques, ...deletion, ...times });
  return reservationId;
}

/** Writes an entry of the request log for a refused request at 12:`minute` on 1 January 2026. */
export async function addLoggedRequest(
  db: Db,
  { organizationId, apiKeyId }: { readonly organizationId: ObjectId; readonly apiKeyId: ObjectId },
  minute: number,
  overrides: object = {},
): Promise<void> {
  const at = new Date(Date.UTC(2026, 0, 1, 12, minute));
  await db.collection('requestLog').insertOne({
    organizationId,
    apiKeyId,
    route: 'POST /external/apis/v1.0/leads',
    status: 400,
    errorCodes: [],
    messages: [],
    ignoredFields: [],
    requestId: `request-${minute}`,
    durationMs: 1.5,
    createdAt: at,
    updatedAt: at,
    ...overrides,
  });
}
