import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { fieldChanges } from '../change-log/field-changes.js';
import { Clock } from '../configuration/clock.js';
import type { Contact } from '../contacts/contact.js';
import { type Phone, phoneKey, usualSpellings } from '../contacts/phone-number.js';
import { foldCase } from '../localization/fold-case.js';
import type { Organization } from '../organizations/organization.js';
import { Outbox } from '../webhooks/outbox/outbox.js';
import { clientFields, mergeContact } from './client-merge.js';
import { presentClient } from './client.presenter.js';
import type { ClientDocument } from './client.schema.js';
import { ClientsRepository } from './clients.repository.js';

/** Keeps the client records that leads belong to (section 4.1 rule 4, "Leads" 9). */
@Injectable()
export class ClientsService {
  constructor(
    private readonly clients: ClientsRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Updates the client that a lead already has, if the organization wants that. */
  async updateLinked(
    organization: Organization,
    clientId: Types.ObjectId,
    contact: Contact,
  ): Promise<void> {
    const client = await this.clients.findById(organization._id, clientId);
    if (client !== null) await this.update(organization, client, contact);
  }

  /**
   * Finds the client that a lead without one belongs to, updates it, or creates it, as the
   * organization's settings say. Simultaneous calls for one contact need the transaction locks of
   * its contention keys.
   *
   * @returns the client's id, null when the lead gets no client
   */
  async link(organization: Organization, contact: Contact): Promise<Types.ObjectId | null> {
    if (isAnonymous(contact)) return null;
    const client = await this.match(organization, contact);
    if (client !== null) {
      await this.update(organization, client, contact);
      return client._id;
    }
    return organization.clients.createFromLeads ? this.create(organization, contact) : null;
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
    phones: readonly Phone[],
  ): Promise<(ClientDocument | undefined)[]> {
    if (phones.length === 0) return [];
    const keys = phones.map((phone) => phoneKey(phone, phoneCountry));
    const spellings = phones.flatMap((phone) => usualSpellings(phone, phoneCountry)).map(String);
    const candidates = await this.clients.findByPhones(_id, [...new Set([...keys, ...spellings])]);
    return keys.map((key) =>
      candidates.find(({ phoneNumbers }) =>
        phoneNumbers.some((phone) => phoneKey(phone, phoneCountry) === key),
      ),
    );
  }

  /**
   * The phones that a client would get and no other one has: where clients are told apart by phone,
   * there is one for each.
   */
  private async newPhones(
    organization: Organization,
    { phoneNumbers }: ClientDocument,
    { phones }: Contact,
  ): Promise<Phone[]> {
    const keyOf = (phone: Phone) => phoneKey(phone, organization.phoneCountry);
    const known = new Set(phoneNumbers.map(keyOf));
    const unknown = phones.filter((phone) => !known.has(keyOf(phone)));
    if (!organization.clients.matchBy.includes('phone')) return unknown;
    const owners = await this.ownersOf(organization, unknown);
    return unknown.filter((_, index) => owners[index] === undefined);
  }

  private async matchByEmail(
    { _id }: Organization,
    { email }: Contact,
  ): Promise<ClientDocument | null> {
    if (email === undefined) return null;
    const candidates = await this.clients.findByEmail(_id, email);
    const isSame = (client: ClientDocument) => foldCase(client.email ?? '') === foldCase(email);
    return candidates.find(isSame) ?? null;
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
    stored: ClientDocument,
    contact: Contact,
  ): Promise<void> {
    if (!organization.clients.updateExisting) return;
    const client = { ...stored, phoneNumbers: stored.phoneNumbers ?? [] };
    const phones = await this.newPhones(organization, client, contact);
    const fields = mergeContact(client, { ...contact, phones }, organization.phoneCountry);
    const changes = fieldChanges(clientFields(client), clientFields({ ...client, ...fields }));
    if (changes.length === 0) return;
    const updatedAt = this.clock.now();
    await this.clients.setFields(client, { ...fields, updatedAt });
    const data = presentClient({ ...client, ...fields, updatedAt });
    await this.outbox.publish(organization._id, { type: 'client.updated', data, changes });
  }
}

function isAnonymous({ name, email, phones }: Contact): boolean {
  return name === undefined && email === undefined && phones.length === 0;
}
