import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import { notDeleted } from '../database/documents/tenant-document.js';
import { caseCandidates, foldCase, caseSpellings } from '../localization/fold-case.js';
import type { ClientDocument } from './client.schema.js';

const oldestFirst = { sort: { _id: 1 } } as const;

@Injectable()
export class ClientsRepository {
  constructor(
    @InjectCollection('Client') private readonly clients: TenantCollection<ClientDocument>,
  ) {}

  async findById(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
  ): Promise<ClientDocument | null> {
    return this.clients.findOne(organizationId, { _id, ...notDeleted });
  }

  /** Clients that have one of the phones in one of the given spellings, oldest first. */
  async findByPhones(
    organizationId: Types.ObjectId,
    spellings: readonly string[],
  ): Promise<ClientDocument[]> {
    const filter = { phoneNumbers: { $in: spellings }, ...notDeleted };
    return this.clients.find(organizationId, filter, oldestFirst);
  }

  /** Clients that have an email, in any case, oldest first. */
  async findByEmail(organizationId: Types.ObjectId, email: string): Promise<ClientDocument[]> {
    const filter = { email: { $in: caseSpellings(email) }, ...notDeleted };
    const options = { ...oldestFirst, collation: caseCandidates };
    const candidates = await this.clients.find(organizationId, filter, options);
    return candidates.filter((client) => foldCase(client.email ?? '') === foldCase(email));
  }

  async insert(client: ClientDocument): Promise<void> {
    await this.clients.insert(client);
  }

  async setFields(client: ClientDocument, fields: Partial<ClientDocument>): Promise<void> {
    await this.clients.updateOne(client.organizationId, { _id: client._id }, { $set: fields });
  }
}
