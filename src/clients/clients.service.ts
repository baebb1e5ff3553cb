import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Contact } from '../contacts/contact.js';
import { phoneKey, usualSpellings } from '../contacts/phone-number.js';
import type { Organization } from '../organizations/organization.js';
import { type ClientChange, ClientRecords } from './client-records.js';
import { ClientsRepository } from './clients.repository.js';

/** The clients that leads belong to (rules LEAD-9 and LEAD-10). */
@Injectable()
export class ClientsService {
  constructor(private readonly clients: ClientsRepository) {}

  /** The clients that leads with these contacts, or linked to these clients, may touch. */
  async load(
    { _id, phoneCountry, clients }: Organization,
    contacts: readonly Contact[],
    clientIds: readonly Types.ObjectId[],
  ): Promise<ClientRecords> {
    const phones = new Set<string>();
    if (clients.matchBy.includes('phone')) {
      for (const phone of contacts.flatMap((contact) => contact.phones)) {
        phones.add(phoneKey(phone, phoneCountry));
        for (const spelling of usualSpellings(phone, phoneCountry)) phones.add(String(spelling));
      }
    }
    const emails = contacts.flatMap(({ email }) => (email === undefined ? [] : [email]));
    const byEmail = await this.clients.findByEmails(_id, [...new Set(emails)]);
    const others = await this.clients.findByIdsOrPhones(_id, clientIds, [...phones]);
    return new ClientRecords([...others, ...byEmail], phones);
  }

  /** Stores clients as they have become, inside the transaction of their leads. */
  async store(organizationId: Types.ObjectId, changes: readonly ClientChange[]): Promise<void> {
    const created = changes.filter(({ isNew }) => isNew).map(({ client }) => client);
    const updated = changes.filter(({ isNew }) => !isNew).map(({ client }) => client);
    await this.clients.write(organizationId, created, updated);
  }
}
