// A lead with its client, change log and events in one transaction: load what it may touch, decide, store.
import { BSON, ObjectId } from 'mongodb';
import { changesBetween } from '../changes.mjs';
import { inTransaction } from '../transactions.mjs';
import { caseCandidates, contactOf, decideClient, foldCase, spellings } from './clients.mjs';
import {
  derivedPhones,
  phoneKey,
  phonesOf,
  scalarText,
  spellingsOf,
  withIntegers,
} from './phones.mjs';
import { presentClient, presentLead } from './presenter.mjs';

const mebibyte = 1_048_576;
const flatFields = ['name', 'email', 'phoneNumber', 'phoneNumber2', 'project'];

/** @returns the lead and the operation, or why it was refused */
export async function upsertLead(client, caller, payload) {
  const db = client.db();
  return inTransaction(client, async (session) => {
    const context = { db, session, caller, now: new Date() };
    const stored = await findStored(context, payload.recordSystemId);
    const requested = requestData(payload);
    const merged = {
      data: { ...stored?.data, ...requested },
      additionalData: { ...stored?.additionalData, ...payload.additionalData },
    };
    const refusal = refusalOf(merged) ?? (await duplicateOf(context, requested, stored));
    if (refusal !== undefined) return { refusal };
    const compoundsIds = await compoundsOf(context, stored?.compoundsIds ?? [], requested.project);
    const contact = contactOf(stored?.clientId ? requested : merged.data);
    const decided = await decideClient(context, contact, stored?.clientId);
    const { clientId } = decided;
    const phones = derivedPhones(merged.data, caller.country, stored);
    const lead = await leadOf(context, payload, stored, {
      ...merged,
      ...phones,
      compoundsIds,
      clientId,
    });
    await takeLocks(context, [...newPhones(lead, stored), ...decided.locks]);
    await storeClient(context, decided);
    return storeLead(context, { stored, lead, decided });
  });
}

async function findStored({ db, session, caller }, recordSystemId) {
  if (recordSystemId === undefined) return null;
  const filter = { organizationId: caller.organizationId, recordSystemId, isDeleted: false };
  return db.collection('leads').findOne(filter, { session });
}

function requestData(payload) {
  const flat = flatFields.filter((field) => payload[field] !== undefined);
  return { ...Object.fromEntries(flat.map((field) => [field, payload[field]])), ...payload.data };
}

function refusalOf(merged) {
  if (Object.values(merged).some(isReference)) return 'a reference';
  return BSON.calculateObjectSize(merged) > 4 * mebibyte ? 'too large' : undefined;
}

function isReference(object) {
  return Object.hasOwn(object, '$ref') && Object.hasOwn(object, '$id');
}

/** Which of the phones that the lead does not have yet another lead has. */
async function duplicateOf({ db, session, caller }, requested, stored) {
  const { organizationId, country, allowsDuplicates } = caller;
  const sent = phonesOf(requested);
  const own = phonesOf(stored?.data);
  const unknown = sent.filter((phone) => !own.includes(phone));
  if (allowsDuplicates || unknown.length === 0) return undefined;
  const { phoneKeys: ownKeys } = derivedPhones(stored?.data, country, stored);
  const keys = unknown
    .map((phone) => phoneKey(phone, country))
    .filter((key) => !ownKeys.includes(key));
  if (keys.length === 0) return undefined;
  const sentAs = withIntegers(unknown.flatMap((phone) => spellingsOf(phone, country)));
  const $or = [
    { phoneKeys: { $in: keys }, isDeleted: false },
    { 'data.phoneNumber': { $in: sentAs }, isDeleted: false },
    { 'data.phoneNumber2': { $in: sentAs }, isDeleted: false },
  ];
  const filter = { organizationId, isDeleted: false, $or };
  const projection = { data: 1, phoneKeys: 1, phoneKeysOf: 1 };
  const candidates = await db.collection('leads').find(filter, { session, projection }).toArray();
  const hasOne = (lead) =>
    derivedPhones(lead.data, country, lead).phoneKeys.some((key) => keys.includes(key));
  return candidates.some(hasOne) ? 'a duplicate' : undefined;
}

/** The linked compounds and those that have the name of the project. */
async function compoundsOf({ db, session, caller }, linked, project) {
  const name = scalarText(project);
  if (name === '') return linked;
  const { organizationId, language } = caller;
  const found = await db
    .collection('compounds')
    .find(
      { organizationId, isDeleted: false, ...shownAs(name, language) },
      { session, projection: { name: 1 }, collation: caseCandidates },
    )
    .sort({ _id: 1 })
    .toArray();
  const shown = (compound) => compound.name?.[language] || compound.name?.['en-us'] || '';
  const named = found.filter((compound) => foldCase(shown(compound)) === foldCase(name));
  const isLinked = (_id) => linked.some((other) => other.equals(_id));
  return [...linked, ...named.map(({ _id }) => _id).filter((_id) => !isLinked(_id))];
}

function shownAs(name, language) {
  const $in = spellings(name);
  if (language === 'en-us') return { 'name.en-us': { $in } };
  const untranslated = { [`name.${language}`]: { $in: [null, ''] }, 'name.en-us': { $in } };
  return { $or: [{ [`name.${language}`]: { $in } }, untranslated] };
}

async function leadOf(context, { recordSystemId }, stored, fields) {
  if (stored !== null) return { ...stored, ...fields };
  const { organizationId } = context.caller;
  return {
    _id: new ObjectId(),
    organizationId,
    leadId: await nextNumber(context),
    ...fields,
    ...(recordSystemId === undefined ? {} : { recordSystemId }),
    assignedToId: null,
    parentId: null,
    isActive: true,
    isDeleted: false,
    createdAt: context.now,
    updatedAt: context.now,
  };
}

/** Outside of the transaction, which would hold the counter until its commit. */
async function nextNumber({ db, caller: { organizationId } }) {
  const next = await db
    .collection('counters')
    .findOneAndUpdate(
      { organizationId, name: 'leadId' },
      { $inc: { value: 1 } },
      { upsert: true, returnDocument: 'after' },
    );
  return next.value;
}

function newPhones({ phoneKeys }, stored) {
  const known = stored?.phoneKeys ?? [];
  return phoneKeys.filter((key) => !known.includes(key)).map((key) => `phone:${key}`);
}

/** Makes transactions that add the same phone or email conflict. */
async function takeLocks({ db, session, caller: { organizationId }, now }, keys) {
  // In one order, so that two of them never wait for each other.
  const distinct = [...new Set(keys)].toSorted((a, b) => a.localeCompare(b));
  if (distinct.length === 0) return;
  const update = { $set: { takenAt: now }, $inc: { timesTaken: 1 } };
  await db.collection('transactionLocks').bulkWrite(
    distinct.map((key) => ({
      updateOne: { filter: { organizationId, key }, update, upsert: true },
    })),
    { session },
  );
}

async function storeClient({ db, session }, { clientId: _id, inserted, fields }) {
  const clients = db.collection('clients');
  if (inserted !== undefined) await clients.insertOne(inserted, { session });
  if (fields !== undefined) await clients.updateOne({ _id }, { $set: fields }, { session });
}

async function storeLead({ db, session, caller, now }, { stored, lead, decided }) {
  const leads = db.collection('leads');
  const changes = changesBetween(audited(stored), audited(lead), ['data', 'additionalData']);
  if (BSON.calculateObjectSize({ changes }) > 8 * mebibyte) return { refusal: 'too many changes' };
  const operation = stored === null ? 'create' : 'update';
  const hasChanged = changes.length > 0;
  const shown = presentLead(hasChanged ? { ...lead, updatedAt: now } : stored);
  if (stored === null) await leads.insertOne(lead, { session });
  else if (hasChanged)
    await leads.updateOne({ _id: lead._id }, { $set: written(lead, now) }, { session });
  await db
    .collection('changeLogs')
    .insertOne(logEntry({ caller, operation, lead, changes, now }), { session });
  const events = [...clientEvents(decided), ...leadEvents(operation, shown, changes)];
  if (events.length > 0) {
    const documents = events.map((event) => outboxEvent(caller, event, now));
    await db.collection('outboxEvents').insertMany(documents, { session });
  }
  return { operation, lead: shown };
}

function audited(lead) {
  if (lead === null) return { data: {}, additionalData: {}, compoundsIds: [], clientId: null };
  const { data, additionalData, compoundsIds, clientId } = presentLead(lead);
  return { data, additionalData, compoundsIds, clientId };
}

function written(
  { data, additionalData, phoneKeys, phoneKeysOf, compoundsIds, clientId },
  updatedAt,
) {
  return { data, additionalData, phoneKeys, phoneKeysOf, compoundsIds, clientId, updatedAt };
}

function logEntry({ caller: { organizationId }, operation, lead, changes, now }) {
  return {
    _id: new ObjectId(),
    organizationId,
    entity: 'Lead',
    modifier: 'External API',
    source: 'API',
    entityId: lead._id,
    context: operation === 'create' ? 'External Lead Create' : 'External Lead Update',
    changes,
    createdAt: now,
    updatedAt: now,
  };
}

function clientEvents({ created, updated, changes }) {
  if (created !== undefined) return [{ type: 'client.created', data: presentClient(created) }];
  return updated === undefined
    ? []
    : [{ type: 'client.updated', data: presentClient(updated), changes }];
}

function leadEvents(operation, data, changes) {
  if (operation === 'create') return [{ type: 'lead.created', data }];
  return changes.length === 0 ? [] : [{ type: 'lead.updated', data, changes }];
}

function outboxEvent({ organizationId }, event, now) {
  const times = { relayedAt: null, createdAt: now, updatedAt: now };
  return { _id: new ObjectId(), organizationId, ...event, ...times };
}
