import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import type { Contact } from '../contacts/contact.js';
import { phoneKey, usualSpellings } from '../contacts/phone-number.js';
import { foldCase } from '../localization/fold-case.js';
import type { Organization } from '../organizations/organization.js';
import { Outbox } from '../webhooks/outbox/outbox.js';
import { clientChanges, mergeContact, phonesLimit } from './client-merge.js';
import { presentClient } from './client.presenter.js';
import type { ClientDocument } from './client.schema.js';
import { ClientsRepository } from './clients.repository.js';

/** The clients that leads belong to (rules LEAD-9 and LEAD-10). */
@Injectable()
export class ClientsService {
  constructor(
    private readonly clients: ClientsRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * The client that a lead belongs to, updated as the organization's settings say: the one it has,
   * otherwise one that its contact matches or creates. Concurrent calls for one contact need the
   * transaction locks of its contention keys.
   *
   * @param clientId of the client that the lead has already
   * @returns the client's id, null when the lead gets no client
   */
  async link(
    organization: Organization,
    contact: Contact,
    clientId?: Types.ObjectId | null,
  ): Promise<Types.ObjectId | null> {
    const client = clientId
      ? await this.clients.findById(organization._id, clientId)
      : await this.match(organization, contact);
    if (client !== null) await this.update(organization, client, contact);
    const linkedId = clientId ?? client?._id;
    if (linkedId !== undefined) return linkedId;
    const isCreated = organization.clients.createFromLeads && !hasNoContact(contact);
    return isCreated ? this.create(organization, contact) : null;
  }

  private async match(
    organization: Organization,
    contact: Contact,
  ): Promise<ClientDocument | null> {
    for (const field of organization.clients.matchBy) {
      const client = await (field === 'phone'
        ? this.matchByPhone(organization, contact)
        : this.matchByEmail(organization, contact));
      if (client !== null) return client;
    }
    return null;
  }

  /** The first phone decides: it is the main one. */
  private async matchByPhone(
    organization: Organization,
    { phones }: Contact,
  ): Promise<ClientDocument | null> {
    const owners = await this.ownersOf(organization, phones);
    return owners.find((owner) => owner !== undefined) ?? null;
  }

  /** The client that has a phone, the oldest where several do, for each of the phones. */
  private async ownersOf(
    { _id, phoneCountry }: Organization,
    phones: readonly string[],
  ): Promise<(ClientDocument | undefined)[]> {
    if (phones.length === 0) return [];
    const keys = phones.map((phone) => phoneKey(phone, phoneCountry));
    const spellings = phones.flatMap((phone) => usualSpellings(phone, phoneCountry)).map(String);
    const known = new Set([...keys, ...spellings]);
    const candidates = await this.clients.findByPhones(_id, [...known]);
    // Only what the query looked for is parsed: other programs may store any number of phones.
    return keys.map((key) =>
      candidates.find(({ phoneNumbers }) =>
        phoneNumbers?.some((phone) => known.has(phone) && phoneKey(phone, phoneCountry) === key),
      ),
    );
  }

  /**
   * The phones that a client lacks; where clients are matched by phone, without those that another
   * client has.
   */
  private async newPhones(
    organization: Organization,
    client: ClientDocument,
    { phones }: Contact,
  ): Promise<string[]> {
    const keyOf = (phone: string) => phoneKey(phone, organization.phoneCountry);
    const stored = client.phoneNumbers ?? [];
    if (stored.length >= phonesLimit) return [];
    const existing = new Set(stored.map(keyOf));
    const lacking = phones.filter((phone) => !existing.has(keyOf(phone)));
    const added = lacking.slice(0, phonesLimit - stored.length);
    if (!organization.clients.matchBy.includes('phone')) return added;
    const owners = await this.ownersOf(organization, added);
    return added.filter((_, index) => owners[index] === undefined);
  }

  private async matchByEmail(
    { _id }: Organization,
    { email }: Contact,
  ): Promise<ClientDocument | null> {
    if (email === undefined) return null;
    const [oldest] = await this.clients.findByEmail(_id, email);
    return oldest ?? null;
  }

  /** The email that a client may take: its own in any case, or one that no other client has. */
  private async newEmail(
    { _id }: Organization,
    client: ClientDocument,
    { email }: Contact,
  ): Promise<string | undefined> {
    if (email === undefined || foldCase(email) === foldCase(client.email ?? '')) return email;
    const owners = await this.clients.findByEmail(_id, email);
    return owners.length === 0 ? email : undefined;
  }

  private async create(organization: Organization, contact: Contact): Promise<Types.ObjectId> {
    const now = this.clock.now();
    const client: ClientDocument = {
      _id: new Types.ObjectId(),
      organizationId: organization._id,
      ...mergeContact({ phoneNumbers: [] }, contact, organization.phoneCountry),
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.clients.insert(client);
    const data = presentClient(client);
    await this.outbox.publish(organization._id, { type: 'client.created', data });
    return client._id;
  }

  private async update(
    organization: Organization,
    client: ClientDocument,
    contact: Contact,
  ): Promise<void> {
    if (!organization.clients.updateExisting) return;
    const phones = await this.newPhones(organization, client, contact);
    const email = await this.newEmail(organization, client, contact);
    const fields = mergeContact(client, { ...contact, email, phones }, organization.phoneCountry);
    const changes = clientChanges(client, fields);
    if (changes.length === 0) return;
    const updatedAt = this.clock.now();
    await this.clients.setFields(client, { ...fields, updatedAt });
    const data = presentClient({ ...client, ...fields, updatedAt });
    await this.outbox.publish(organization._id, { type: 'client.updated', data, changes });
  }
}

function hasNoContact({ name, email, phones }: Contact): boolean {
  return name === undefined && email === undefined && phones.length === 0;
}
