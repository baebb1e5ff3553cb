import type { CountryCode } from 'libphonenumber-js';
import { Types } from 'mongoose';
import {
  type Contact,
  emailLockKey,
  lockKeysOf,
  phoneLockKeys,
} from '../../tenants/contacts/contact.js';
import { allPhoneKeys } from '../../tenants/contacts/phone-number.js';
import { phoneRule } from '../../tenants/contacts/phone-rule.js';
import { foldCase } from '../../core/localization/fold-case.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { type PendingEvent, pendingEvent } from '../../events/outbox/outbox.js';
import { asTexts } from '../../core/values/text.js';
import { fieldChanges } from '../../tenants/change-log/field-changes.js';
import { maxPhones, presentClient } from './client.presenter.js';
import type { ClientDocument } from './client.schema.js';

export interface ClientChange {
  readonly client: ClientDocument;
  readonly isNew: boolean;
  readonly event: PendingEvent;
}

/** Contains clients that a group of leads may touch, including changes by decisions made so far. */
export class ClientWorkingSet {
  private readonly clients = new Map<string, { client: ClientDocument; keys: Set<string> }>();
  private readonly changed = new Map<string, ClientChange>();

  /** @param lookupPhones includes all spellings of sent phones */
  constructor(
    stored: readonly ClientDocument[],
    private readonly lookupPhones: ReadonlySet<string>,
    private readonly country: CountryCode,
  ) {
    for (const client of stored) this.index(client);
  }

  findById(_id: Types.ObjectId): ClientDocument | undefined {
    return this.clients.get(String(_id))?.client;
  }

  findByPhone(phoneKey: string): ClientDocument | undefined {
    return this.oldest(phoneLockKeys([phoneKey]));
  }

  findByEmail(email: string): ClientDocument | undefined {
    return this.oldest([emailLockKey(email)]);
  }

  record(change: ClientChange): void {
    const id = change.client._id.toHexString();
    const isNew = change.isNew || this.changed.get(id)?.isNew === true;
    this.index(change.client);
    this.changed.set(id, { ...change, isNew });
  }

  changes(): ClientChange[] {
    return [...this.changed.values()];
  }

  private oldest([key = '']: readonly string[]): ClientDocument | undefined {
    const owners = [...this.clients].filter(([, { keys }]) => keys.has(key));
    const [oldest] = owners.map(([id]) => id).toSorted();
    return oldest === undefined ? undefined : this.clients.get(oldest)?.client;
  }

  private index(client: ClientDocument): void {
    // Other programs may store any number of phones, so only sent ones are parsed.
    const phones = (client.phoneNumbers ?? []).filter((phone) => this.lookupPhones.has(phone));
    const contact = { phones, ...(client.email ? { email: client.email } : {}) };
    const keys = new Set(lockKeysOf(contact, this.country));
    this.clients.set(client._id.toHexString(), { client, keys });
  }
}

export interface ClientLink {
  /** It is null if the lead gets no client. */
  readonly clientId: Types.ObjectId | null;
  readonly change?: ClientChange;
  /** Lock keys of phones and emails that are new to the client. */
  readonly lockKeys: readonly string[];
}

interface LinkedContact {
  readonly requestId: string;
  readonly organization: Organization;
  readonly contact: Contact;
}

interface LinkedLead extends Omit<LinkedContact, 'contact'> {
  readonly sent: Contact;
  readonly merged: Contact;
  readonly clientId: Types.ObjectId | null | undefined;
}

type ClientFields = Pick<ClientDocument, 'name' | 'email' | 'phoneNumbers'>;

/** @throws EventTooLargeError when the change cannot be published (rules LEAD-9 and LEAD-10) */
export function linkClient(clients: ClientWorkingSet, linked: LinkedLead, now: Date): ClientLink {
  const { sent, merged, clientId, ...context } = linked;
  const { organization } = context;
  // A lead whose client was deleted is matched like a lead without one.
  const own = clientId ? clients.findById(clientId) : undefined;
  const lead = { ...context, contact: own === undefined ? merged : sent };
  const { contact } = lead;
  const client = own ?? findMatch(clients, lead);
  if (client !== undefined) {
    const { lockKeys, ...change } = updateClient(clients, client, lead, now);
    // An erasure of the client by another lead must see this lead (rule LEAD-15).
    const added = own === undefined ? lockKeysOf(contact, organization.phoneCountry) : [];
    return { clientId: client._id, ...change, lockKeys: [...new Set([...lockKeys, ...added])] };
  }
  const isEmpty =
    contact.name === undefined && lockKeysOf(contact, organization.phoneCountry).length === 0;
  const isCreated = organization.clients.createFromLeads && !isEmpty;
  return isCreated ? createClient(lead, now) : { clientId: null, lockKeys: [] };
}

/** Returns the owner of the first phone first, because it is the main phone. */
function findMatch(
  clients: ClientWorkingSet,
  { organization, contact: { phones, email } }: LinkedContact,
): ClientDocument | undefined {
  const keys = allPhoneKeys(phones, organization.phoneCountry);
  for (const field of organization.clients.matchBy) {
    const owners =
      field === 'phone'
        ? keys.map((key) => clients.findByPhone(key))
        : [email === undefined ? undefined : clients.findByEmail(email)];
    const client = owners.find((owner) => owner !== undefined);
    if (client !== undefined) return client;
  }
  return undefined;
}

function createClient({ requestId, organization, contact }: LinkedContact, now: Date): ClientLink {
  const client: ClientDocument = {
    _id: new Types.ObjectId(),
    organizationId: organization._id,
    ...mergeContact({ phoneNumbers: [] }, contact, organization),
    phoneRule: phoneRule(organization.phoneCountry),
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
  };
  const event = { type: 'client.created', data: presentClient(client), requestId } as const;
  return {
    clientId: client._id,
    change: { client, isNew: true, event: pendingEvent(organization._id, event, now) },
    lockKeys: lockKeysOf(contact, organization.phoneCountry),
  };
}

function updateClient(
  clients: ClientWorkingSet,
  stored: ClientDocument,
  { requestId, organization, contact }: LinkedContact,
  now: Date,
): Omit<ClientLink, 'clientId'> {
  if (!organization.clients.updateExisting) return { lockKeys: [] };
  const { email } = contact;
  const isFree = email !== undefined && clients.findByEmail(email) === undefined;
  const isOwnEmail = hasEmail(stored, email);
  const newEmail = isFree || isOwnEmail ? email : undefined;
  const { matchBy } = organization.clients;
  const phones = missingPhones(stored, contact, organization).filter(
    (key) => !matchBy.includes('phone') || clients.findByPhone(key) === undefined,
  );
  const added = { ...contact, email: newEmail, phones };
  const fields = mergeContact(stored, added, organization);
  const changes = clientChanges(stored, fields);
  if (changes.length === 0) return { lockKeys: [] };
  const client = { ...stored, ...fields, updatedAt: now };
  const data = presentClient(client);
  const event = { type: 'client.updated', data, changes, requestId } as const;
  const taken = isOwnEmail ? { ...added, email: undefined } : added;
  return {
    change: { client, isNew: false, event: pendingEvent(organization._id, event, now) },
    lockKeys: lockKeysOf(taken, organization.phoneCountry),
  };
}

/** Returns the part of a contact that is new to a client and may belong to another one. */
export function missingContact(
  client: ClientDocument,
  contact: Contact,
  organization: Organization,
): Contact {
  if (!organization.clients.updateExisting) return { phones: [] };
  return {
    ...(hasEmail(client, contact.email) ? {} : { email: contact.email }),
    phones: missingPhones(client, contact, organization),
  };
}

function hasEmail(client: ClientDocument, email = ''): boolean {
  return foldCase(email) === foldCase(client.email ?? '');
}

/** Returns keys. */
function missingPhones(
  client: ClientDocument,
  { phones }: Contact,
  { phoneCountry }: Organization,
): string[] {
  const stored = asTexts(client.phoneNumbers);
  if (stored.length >= maxPhones) return [];
  // Most phones are stored as their keys; only other phones require parsing all stored ones.
  const missing = allPhoneKeys(phones, phoneCountry).filter((key) => !stored.includes(key));
  if (missing.length === 0) return [];
  const existing = new Set(allPhoneKeys(stored, phoneCountry));
  return missing.filter((key) => !existing.has(key)).slice(0, maxPhones - stored.length);
}

function mergeContact(
  client: ClientFields,
  contact: Contact,
  { phoneCountry }: Organization,
): ClientFields {
  const name = contact.name ?? client.name;
  const email = contact.email ?? client.email;
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    phoneNumbers: [...asTexts(client.phoneNumbers), ...allPhoneKeys(contact.phones, phoneCountry)],
  };
}

/** A merge only adds phones, at the end of the list, so the event lists the added ones. */
function clientChanges(client: ClientFields, merged: ClientFields): object[] {
  const added = asTexts(merged.phoneNumbers).slice(asTexts(client.phoneNumbers).length);
  const names = fieldChanges(
    { name: client.name ?? null, email: client.email ?? null },
    { name: merged.name ?? null, email: merged.email ?? null },
  );
  return added.length === 0 ? names : [...names, { field: 'phoneNumbers', added }];
}
