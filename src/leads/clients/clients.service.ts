import { Injectable } from '@nestjs/common';
import { Decimal128, Long, ObjectId } from 'mongodb';
import type { Types } from 'mongoose';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { asTexts } from '../../core/values/text.js';
import { type Contact, lockKeysOf } from '../../tenants/contacts/contact.js';
import { phoneFormats } from '../../tenants/contacts/phone-number.js';
import { isPhone } from '../../tenants/contacts/phone-reading.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { missingContact, type ClientChange, ClientWorkingSet } from './client-link.js';
import { type ClientDto, presentClient } from './client.presenter.js';
import type { ClientDocument } from './client.schema.js';
import { type ClientContact, ClientsRepository } from './clients.repository.js';

export interface ClientLookup {
  readonly clientId?: Types.ObjectId | null | undefined;
  readonly sent: Contact;
  /** Also searched for if the lead has no client, or a deleted one. */
  readonly stored: Contact;
}

export type FoundClient = ClientDto & { readonly isDeleted: boolean; readonly isErased: boolean };

/** A lead creates or updates the client that its contact identifies (rules LEAD-9 and LEAD-10). */
@Injectable()
export class ClientsService {
  constructor(private readonly clients: ClientsRepository) {}

  /** @param isAlone false if another lead may replace a client's email first, so that it must be compared then */
  async load(
    organization: Organization,
    lookups: readonly ClientLookup[],
    { isAlone }: { readonly isAlone: boolean },
  ): Promise<ClientWorkingSet> {
    const { _id, phoneCountry } = organization;
    const ids = lookups.flatMap(({ clientId }) => clientId ?? []);
    const linked = await this.clients.findByIds(_id, ids, notDeleted);
    const known = new Map(linked.map((client) => [client._id.toHexString(), client]));
    const contacts = lookups.flatMap(({ clientId, sent, stored }): Contact[] => {
      const client = clientId ? known.get(String(clientId)) : undefined;
      if (client === undefined) return [sent, stored];
      const missing = missingContact(client, sent, organization);
      return [isAlone ? missing : { ...missing, email: sent.email }];
    });
    const phones = organization.clients.matchBy.includes('phone')
      ? spellingsOf(contacts, organization)
      : new Set<string>();
    const others = await this.clients.findByPhones(_id, phones);
    const byEmail = await this.clients.findByEmails(
      _id,
      contacts.flatMap(({ email }) => email ?? []),
    );
    return new ClientWorkingSet([...linked, ...others, ...byEmail], phones, phoneCountry);
  }

  async find(organizationId: Types.ObjectId, id: Types.ObjectId): Promise<FoundClient | null> {
    const [client] = await this.clients.findByIds(organizationId, [id]);
    if (client === undefined) return null;
    const { isDeleted, erasedAt } = client;
    return { ...presentClient(client), isDeleted, isErased: Boolean(erasedAt) };
  }

  async contactsOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<Contact[]> {
    const clients = await this.clients.findByIds(organizationId, ids);
    return clients.map(contactOfClient);
  }

  async idsByEmail(
    organizationIds: readonly Types.ObjectId[],
    email: string,
  ): Promise<Types.ObjectId[]> {
    const clients = await this.clients.findByEmails({ $in: organizationIds }, [email]);
    return clients.map(({ _id }) => _id);
  }

  /**
   * Reads all clients, deleted ones included: other programs store phones in spellings that no query lists. Stops
   * soon after `limit` ids.
   */
  async idsByLockKeys(
    { _id, phoneCountry }: Pick<Organization, '_id' | 'phoneCountry'>,
    lockKeys: ReadonlySet<string>,
    limit: number,
  ): Promise<Types.ObjectId[]> {
    const ids: Types.ObjectId[] = [];
    for await (const clients of this.clients.contactsOfUnerased(_id)) {
      const matching = clients.filter((client) =>
        lockKeysOf(contactOfClient(client), phoneCountry).some((key) => lockKeys.has(key)),
      );
      ids.push(...matching.map((client) => client._id));
      if (ids.length > limit) break;
    }
    return ids;
  }

  /** Keeps ids, times, flags and short numbers (rule LEAD-15). Returns the number of clients with other values. */
  async erase(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<number> {
    const clients = await this.clients.findAsStored(organizationId, ids);
    const unerased = clients.filter(
      (client) => !client.erasedAt || !client.isDeleted || personalFields(client).length > 0,
    );
    for (const client of unerased) {
      const deletedAt = client.deletedAt instanceof Date ? client.deletedAt : now;
      const times = { deletedAt, updatedAt: now, erasedAt: now };
      const values = { phoneNumbers: [], isDeleted: true, ...times };
      await this.clients.replaceFields(client, personalFields(client), values);
    }
    return unerased.length;
  }

  async store(organizationId: Types.ObjectId, changes: readonly ClientChange[]): Promise<void> {
    const writes = changes.map(({ client, isNew }) => {
      const { _id, name, email, phoneNumbers, updatedAt } = client;
      if (isNew) return { insert: client };
      return { _id, fields: { name, email, phoneNumbers, updatedAt } };
    });
    await this.clients.write(organizationId, writes);
  }
}

function contactOfClient({ email, phoneNumbers }: ClientContact): Contact {
  return { ...(email ? { email } : {}), phones: asTexts(phoneNumbers) };
}

function spellingsOf(
  contacts: readonly Contact[],
  { phoneCountry }: Pick<Organization, 'phoneCountry'>,
): Set<string> {
  const phones = new Set(contacts.flatMap((contact) => contact.phones));
  return new Set([...phones].flatMap((phone) => phoneFormats(phone, phoneCountry).map(String)));
}

function personalFields(client: ClientDocument): string[] {
  return Object.entries(client).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'phoneNumbers') return Array.isArray(value) && value.length === 0 ? [] : [name];
    const isOwn = name === 'name' || name === 'email';
    return !isOwn && isImpersonal(value) ? [] : [name];
  });
}

/** Recognizes ids, times, flags, and numbers that cannot be phones. */
function isImpersonal(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (value instanceof ObjectId || value instanceof Date) return true;
  const isNumber =
    typeof value === 'number' || value instanceof Long || value instanceof Decimal128;
  return isNumber && !isPhone(String(value));
}
