import type { CountryCode } from 'libphonenumber-js';
import { Types } from 'mongoose';
import { type Contact, contentionKeys } from '../contacts/contact.js';
import { phoneKey } from '../contacts/phone-number.js';
import { foldCase } from '../../core/localization/fold-case.js';
import type { Organization } from '../organizations/organization.js';
import { pendingEvent } from '../../events/outbox/pending-event.js';
import { textsOf } from '../../core/values/text.js';
import { clientChanges, mergeContact, phonesLimit } from './client-merge.js';
import { presentClient } from './client.presenter.js';
import type { ClientChange, ClientRecords } from './client-records.js';
import type { ClientDocument } from './client.schema.js';

/** The client of a lead, and what linking them changes. */
export interface ClientLink {
  /** Null when the lead gets no client. */
  readonly clientId: Types.ObjectId | null;
  readonly change?: ClientChange;
  /** Contention keys of the phones and the email that the client did not have yet. */
  readonly claims: readonly string[];
}

/** A lead that is to be linked. */
export interface LinkedLead {
  readonly requestId: string;
  readonly organization: Organization;
  readonly contact: Contact;
  /** The client that the lead has already. */
  readonly clientId: Types.ObjectId | null | undefined;
}

/**
 * The client that a lead belongs to, updated as the organization's settings say: the one it has,
 * otherwise one that its contact matches or creates (rules LEAD-9 and LEAD-10).
 *
 * @throws EventTooLargeError when the change could not be published
 */
export function linkClient(clients: ClientRecords, lead: LinkedLead, now: Date): ClientLink {
  const { organization, contact, clientId } = lead;
  const client = clientId ? clients.findById(clientId) : match(clients, lead);
  if (client !== undefined) {
    const { claims, ...change } = update(clients, client, lead, now);
    // Whoever erases the client of another lead has to see this one (rule LEAD-15).
    const linked = clientId ? [] : contentionKeys(contact, organization.phoneCountry);
    return { clientId: client._id, ...change, claims: [...new Set([...claims, ...linked])] };
  }
  if (clientId) return { clientId, claims: [] };
  const isCreated = organization.clients.createFromLeads && !hasNoContact(contact);
  return isCreated ? create(lead, now) : { clientId: null, claims: [] };
}

/** The first phone decides: it is the main one. */
function match(
  clients: ClientRecords,
  { organization, contact: { phones, email } }: LinkedLead,
): ClientDocument | undefined {
  for (const field of organization.clients.matchBy) {
    const owners =
      field === 'phone'
        ? phones.map((phone) => clients.findByPhone(phone))
        : [email === undefined ? undefined : clients.findByEmail(email)];
    const client = owners.find((owner) => owner !== undefined);
    if (client !== undefined) return client;
  }
  return undefined;
}

function create({ requestId, organization, contact }: LinkedLead, now: Date): ClientLink {
  const client: ClientDocument = {
    _id: new Types.ObjectId(),
    organizationId: organization._id,
    ...mergeContact({ phoneNumbers: [] }, contact, organization.phoneCountry),
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
  };
  const event = { type: 'client.created', data: presentClient(client), requestId } as const;
  return {
    clientId: client._id,
    change: { client, isNew: true, event: pendingEvent(organization._id, event, now) },
    claims: contentionKeys(contact, organization.phoneCountry),
  };
}

function update(
  clients: ClientRecords,
  stored: ClientDocument,
  { requestId, organization, contact }: LinkedLead,
  now: Date,
): Omit<ClientLink, 'clientId'> {
  if (!organization.clients.updateExisting) return { claims: [] };
  const { _id, phoneCountry } = organization;
  const added = {
    ...contact,
    email: newEmail(clients, stored, contact),
    phones: newPhones(clients, stored, { organization, contact }),
  };
  const fields = mergeContact(stored, added, phoneCountry);
  const changes = clientChanges(stored, fields);
  if (changes.length === 0) return { claims: [] };
  const client = { ...stored, ...fields, updatedAt: now };
  const data = presentClient(client);
  const event = { type: 'client.updated', data, changes, requestId } as const;
  const claimed = hasEmail(stored, added.email) ? { ...added, email: undefined } : added;
  return {
    change: { client, isNew: false, event: pendingEvent(_id, event, now) },
    claims: contentionKeys(claimed, phoneCountry),
  };
}

/** The email that a client may take: its own in any case, or one that no other client has. */
function newEmail(
  clients: ClientRecords,
  client: ClientDocument,
  { email }: Contact,
): string | undefined {
  if (email === undefined || hasEmail(client, email)) return email;
  return clients.findByEmail(email) === undefined ? email : undefined;
}

/** What a client would have to take from a contact; others are looked for that may have it. */
export function missingContact(
  client: ClientDocument,
  { email, phones }: Contact,
  { clients, phoneCountry }: Organization,
): Contact {
  if (!clients.updateExisting) return { phones: [] };
  return {
    ...(hasEmail(client, email) ? {} : { email }),
    phones: missingPhones(client, phones, phoneCountry),
  };
}

function hasEmail(client: ClientDocument, email = ''): boolean {
  return foldCase(email) === foldCase(client.email ?? '');
}

/**
 * The phones that a client lacks; where clients are matched by phone, without those that another
 * client has.
 */
function newPhones(
  clients: ClientRecords,
  client: ClientDocument,
  { organization, contact }: Omit<LinkedLead, 'clientId' | 'requestId'>,
): string[] {
  const added = missingPhones(client, contact.phones, organization.phoneCountry);
  if (!organization.clients.matchBy.includes('phone')) return added;
  return added.filter((phone) => clients.findByPhone(phone) === undefined);
}

/** The phones that a client has not, as many as it may have in all. */
function missingPhones(
  client: ClientDocument,
  phones: readonly string[],
  country: CountryCode,
): string[] {
  const stored = textsOf(client.phoneNumbers);
  if (stored.length >= phonesLimit) return [];
  // Most are there as they are compared, so that what the client has need not be parsed.
  const lacked = phones.filter((phone) => !stored.includes(phoneKey(phone, country)));
  if (lacked.length === 0) return [];
  const existing = new Set(stored.map((phone) => phoneKey(phone, country)));
  return lacked
    .filter((phone) => !existing.has(phoneKey(phone, country)))
    .slice(0, phonesLimit - stored.length);
}

function hasNoContact({ name, email, phones }: Contact): boolean {
  return name === undefined && email === undefined && phones.length === 0;
}
