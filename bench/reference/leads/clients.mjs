// The client of a lead: found by the lead's id, else by phone or email, else created.
import { ObjectId } from 'mongodb';
import { changesBetween } from '../changes.mjs';
import { phoneKey, phonesOf, scalarText, spellingsOf } from './phones.mjs';

const phonesLimit = 100;
const oldestFirst = { sort: { _id: 1 } };
/** With all spellings of a text it finds every text of the same case, and too many. */
export const caseCandidates = { locale: 'en', strength: 1 };

/** What identifies a person. */
export function contactOf(data) {
  const name = scalarText(data.name);
  return {
    ...(name === '' ? {} : { name }),
    ...(typeof data.email === 'string' && data.email !== '' ? { email: data.email } : {}),
    phones: phonesOf(data),
  };
}

/**
 * Loads the client of a lead and decides what becomes of it.
 *
 * @returns the client's id, what to insert or set, the event, and the phones and email that were new to it
 */
export async function decideClient({ db, session, caller, now }, contact, clientId) {
  const load = { clients: db.collection('clients'), session, caller };
  const client = clientId ? await findById(load, clientId) : await match(load, contact);
  if (client !== null)
    return { clientId: clientId ?? client._id, ...(await update(load, client, contact, now)) };
  if (clientId) return { clientId, locks: [] };
  const isNobody =
    contact.name === undefined && contact.email === undefined && contact.phones.length === 0;
  if (!caller.createsClients || isNobody) return { clientId: null, locks: [] };
  const inserted = newClient(caller, contact, now);
  return {
    clientId: inserted._id,
    inserted,
    created: inserted,
    locks: locksOf(contact, caller.country),
  };
}

function newClient({ organizationId, country }, { name, email, phones }, now) {
  return {
    _id: new ObjectId(),
    organizationId,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    phoneNumbers: [...new Set(phones.map((phone) => phoneKey(phone, country)))],
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
  };
}

async function update(load, client, contact, now) {
  const { caller } = load;
  if (!caller.updatesClients) return { locks: [] };
  const added = await newPhones(load, client, contact.phones);
  const name = contact.name ?? client.name;
  const email = (await newEmail(load, client, contact.email)) ?? client.email;
  const changes = changesBetween(
    { name: client.name ?? null, email: client.email ?? null },
    { name: name ?? null, email: email ?? null },
  );
  if (added.length > 0) changes.push({ field: 'phoneNumbers', added });
  if (changes.length === 0) return { locks: [] };
  const fields = {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    phoneNumbers: [...(client.phoneNumbers ?? []), ...added],
    updatedAt: now,
  };
  const isNewEmail = email !== undefined && !isSameEmail(email, client.email);
  const locks = [
    ...added.map((key) => `phone:${key}`),
    ...(isNewEmail ? [`email:${foldCase(email)}`] : []),
  ];
  return { fields, changes, updated: { ...client, ...fields }, locks };
}

/** The email that a client may take: its own in any case, or one that no other client has. */
async function newEmail(load, client, email) {
  if (email === undefined || isSameEmail(email, client.email)) return email;
  return (await matchByEmail(load, email)) === undefined ? email : undefined;
}

async function newPhones(load, client, phones) {
  const { country, matchBy } = load.caller;
  const stored = client.phoneNumbers ?? [];
  const keys = [...new Set(phones.map((phone) => phoneKey(phone, country)))];
  const lacking = keys.filter((key) => !stored.includes(key)).slice(0, phonesLimit - stored.length);
  if (lacking.length === 0 || !matchBy.includes('phone')) return lacking;
  const owners = await findByPhones(load, lacking);
  return lacking.filter((key) => !owners.has(key));
}

async function findById({ clients, session, caller }, _id) {
  const filter = { _id, organizationId: caller.organizationId, isDeleted: false };
  return clients.findOne(filter, { session });
}

async function match(load, { phones, email }) {
  for (const field of load.caller.matchBy) {
    const client =
      field === 'phone' ? await matchByPhone(load, phones) : await matchByEmail(load, email);
    if (client !== undefined) return client;
  }
  return null;
}

async function matchByPhone(load, phones) {
  if (phones.length === 0) return undefined;
  const owners = await findByPhones(load, phones);
  const keys = phones.map((phone) => phoneKey(phone, load.caller.country));
  return owners.get(keys.find((key) => owners.has(key)));
}

/** The oldest client with each of the phones, by the phone's key. */
async function findByPhones({ clients, session, caller }, phones) {
  const { organizationId, country } = caller;
  const known = new Set(
    phones.flatMap((phone) => [phoneKey(phone, country), ...spellingsOf(phone, country)]),
  );
  const filter = { organizationId, phoneNumbers: { $in: [...known] }, isDeleted: false };
  const owners = new Map();
  for await (const client of clients.find(filter, { session, ...oldestFirst })) {
    for (const phone of client.phoneNumbers.filter((one) => known.has(one))) {
      const key = phoneKey(phone, country);
      if (!owners.has(key)) owners.set(key, client);
    }
  }
  return owners;
}

async function matchByEmail({ clients, session, caller }, email) {
  if (email === undefined) return undefined;
  const filter = {
    organizationId: caller.organizationId,
    email: { $in: spellings(email) },
    isDeleted: false,
  };
  const options = { session, collation: caseCandidates, ...oldestFirst };
  const found = clients.find(filter, options);
  const candidates = await found.toArray();
  return candidates.find((client) => foldCase(client.email) === foldCase(email));
}

function locksOf({ phones, email }, country) {
  const keys = phones.map((phone) => `phone:${phoneKey(phone, country)}`);
  return email === undefined ? keys : [...keys, `email:${foldCase(email)}`];
}

function isSameEmail(one, other = '') {
  return foldCase(one) === foldCase(other);
}

/** A form in which texts that differ in case alone are equal. */
export function foldCase(text) {
  return Array.from(text.normalize('NFC'), foldLetter).join('').normalize('NFC');
}

/** What to look for beside a text. */
export function spellings(text) {
  const folded = foldCase(text);
  return [...new Set([text, folded, folded.toUpperCase()])];
}

function foldLetter(letter) {
  return letter === 'ı' ? letter : letter.toLowerCase().toUpperCase().toLowerCase();
}
