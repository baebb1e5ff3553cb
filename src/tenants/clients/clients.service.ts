import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Contact } from '../contacts/contact.js';
import { phoneKey, usualSpellings } from '../contacts/phone-number.js';
import type { Organization } from '../organizations/organization.js';
import { textsOf } from '../../core/values/text.js';
import { missingContact } from './client-link.js';
import { type ClientChange, ClientRecords } from './client-records.js';
import { ClientsRepository, personalFields } from './clients.repository.js';

/** The client that a lead has, if any, and what a request says of the person. */
export interface ClientLookup {
  readonly clientId?: Types.ObjectId | null | undefined;
  readonly contact: Contact;
}

/** A client as the operator sees it. */
export interface FoundClient {
  readonly _id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly phoneNumbers: readonly string[];
  readonly isDeleted: boolean;
  readonly isErased: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The clients that leads belong to (rules LEAD-9 and LEAD-10). */
@Injectable()
export class ClientsService {
  constructor(private readonly clients: ClientsRepository) {}

  /**
   * The clients that leads may touch.
   *
   * @param isAlone whether it is one lead: another one before it may replace the email of its client, whose
   *   own one is not looked for else
   */
  async load(
    organization: Organization,
    sought: readonly ClientLookup[],
    { isAlone }: { readonly isAlone: boolean },
  ): Promise<ClientRecords> {
    const { _id, phoneCountry } = organization;
    const linked = await this.clients.findByIds(
      _id,
      sought.flatMap(({ clientId }) => clientId ?? []),
    );
    const known = new Map(linked.map((client) => [client._id.toHexString(), client]));
    const contacts = sought.map(({ clientId, contact }) => {
      const client = clientId ? known.get(clientId.toHexString()) : undefined;
      if (client === undefined) return contact;
      const lacked = missingContact(client, contact, organization);
      return isAlone ? lacked : { ...lacked, email: contact.email };
    });
    const { phones, emails } = lookupContacts(contacts, organization);
    const others = await this.clients.findByPhones(_id, [...phones]);
    const byEmail = await this.clients.findByEmails(_id, emails);
    return new ClientRecords([...linked, ...others, ...byEmail], phones, phoneCountry);
  }

  /** A client as the operator sees it, deleted or not; null when there is none. */
  async find(organizationId: Types.ObjectId, id: Types.ObjectId): Promise<FoundClient | null> {
    const [client] = await this.clients.findAllByIds(organizationId, [id]);
    if (client === undefined) return null;
    const { name, email, phoneNumbers, isDeleted, erasedAt, createdAt, updatedAt } = client;
    return {
      _id: id.toHexString(),
      name: name ?? null,
      email: email ?? null,
      phoneNumbers: textsOf(phoneNumbers),
      isDeleted,
      isErased: Boolean(erasedAt),
      createdAt,
      updatedAt,
    };
  }

  /** What clients are known by. */
  async contactsOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<Contact[]> {
    const clients = await this.clients.findAllByIds(organizationId, ids);
    return clients.map(({ email, phoneNumbers }) => ({
      ...(email ? { email } : {}),
      phones: textsOf(phoneNumbers),
    }));
  }

  /** The ids of the clients of organizations with an email, in any case; deleted ones are not looked for. */
  async idsByEmail(
    organizationIds: readonly Types.ObjectId[],
    email: string,
  ): Promise<Types.ObjectId[]> {
    const clients = await this.clients.findByEmails(organizationIds, [email]);
    return clients.map(({ _id }) => _id);
  }

  /** The ids of the clients with a phone or an email; deleted ones are not looked for. */
  async idsByContact(organization: Organization, { email, phones }: Contact) {
    const { _id, phoneCountry } = organization;
    const keys = phones.map((phone) => phoneKey(phone, phoneCountry));
    const spellings = phones.flatMap((phone) => usualSpellings(phone, phoneCountry)).map(String);
    const byPhone = await this.clients.findByPhones(_id, [...new Set([...keys, ...spellings])]);
    const byEmail = await this.clients.findByEmails(_id, email ? [email] : []);
    return [...byPhone, ...byEmail].map((client) => client._id);
  }

  /**
   * Deletes clients and removes their values, inside the open transaction (rule LEAD-15).
   *
   * @returns how many had some
   */
  async erase(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<number> {
    const clients = await this.clients.findAllAsStored(organizationId, ids);
    const unerased = clients.filter(
      (client) => !client.erasedAt || !client.isDeleted || personalFields(client).length > 0,
    );
    await this.clients.erase(organizationId, unerased, now);
    return unerased.length;
  }

  /** Stores clients as they have become, inside the transaction of their leads. */
  async store(organizationId: Types.ObjectId, changes: readonly ClientChange[]): Promise<void> {
    const created = changes.filter(({ isNew }) => isNew).map(({ client }) => client);
    const updated = changes.filter(({ isNew }) => !isNew).map(({ client }) => client);
    await this.clients.write(organizationId, created, updated);
  }
}

function lookupContacts(
  contacts: readonly Contact[],
  { phoneCountry, clients }: Organization,
): { readonly phones: ReadonlySet<string>; readonly emails: readonly string[] } {
  const phones = new Set<string>();
  if (clients.matchBy.includes('phone')) {
    for (const phone of new Set(contacts.flatMap((contact) => contact.phones))) {
      phones.add(phoneKey(phone, phoneCountry));
      for (const spelling of usualSpellings(phone, phoneCountry)) phones.add(String(spelling));
    }
  }
  const emails = new Set(contacts.flatMap(({ email }) => (email === undefined ? [] : [email])));
  return { phones, emails: [...emails] };
}
