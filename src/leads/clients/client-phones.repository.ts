import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, mongo, Types } from 'mongoose';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import type { PhoneUpdate } from '../../tenants/contacts/stored-phones.js';
import type { ClientDocument } from './client.schema.js';

export type ClientWithPhones = Pick<
  ClientDocument,
  '_id' | 'organizationId' | 'phoneNumbers' | 'updatedAt'
>;

const batchSize = 500;

/** Reads and writes phones of clients in all organizations. */
@Injectable()
export class ClientPhonesRepository {
  constructor(@InjectModel('Client') private readonly clients: Model<ClientDocument>) {}

  /** @param limit 0 for all */
  async *batches(filter: object, limit: number): AsyncGenerator<ClientWithPhones[], void> {
    const found = this.clients
      .aggregate<ClientWithPhones>(
        [
          { $match: { ...notDeleted, ...filter } },
          ...(limit === 0 ? [] : [{ $limit: limit }]),
          { $project: { organizationId: 1, phoneNumbers: 1, updatedAt: 1 } },
        ],
        { ...acrossTenants, batchSize },
      )
      .cursor();
    try {
      let clients: ClientWithPhones[] = [];
      for (;;) {
        const client = (await found.next()) as ClientWithPhones | null;
        if (client !== null) clients.push(client);
        if (clients.length === batchSize || (client === null && clients.length > 0)) {
          yield clients;
          clients = [];
        }
        if (client === null) return;
      }
    } finally {
      await found.close();
    }
  }

  /** Stores every update that the database accepts. */
  async update(updates: PhoneUpdate[]): Promise<mongo.BulkWriteResult> {
    // Mongoose would cast phones of other types, but casts no pipeline.
    const uncast = updates.map(({ updateOne: { filter, update } }) => {
      const fields = Object.entries(update.$set).map(([name, value]) => [
        name,
        { $literal: value },
      ]);
      return { updateOne: { filter, update: [{ $set: Object.fromEntries(fields) as object }] } };
    });
    return this.clients.bulkWrite(uncast, { ordered: false, ...acrossTenants });
  }

  async unsetRules(ids: readonly Types.ObjectId[]): Promise<void> {
    const filter = { _id: { $in: [...ids] }, phoneRule: { $exists: true } };
    await this.clients.updateMany(filter, { $unset: { phoneRule: '' } }).setOptions(acrossTenants);
  }

  /** Returns the number of clients that share a phone with another client, by organization. */
  async countSharing(): Promise<{ organizationId: Types.ObjectId; clients: number }[]> {
    const phones = { $cond: [{ $isArray: '$phoneNumbers' }, '$phoneNumbers', []] };
    const byPhone = { organizationId: '$organizationId', phone: '$phones' };
    return this.clients.aggregate(
      [
        { $match: { ...notDeleted, phoneNumbers: /^\+/ } },
        { $project: { organizationId: 1, phones: { $setUnion: [phones, []] } } },
        { $unwind: '$phones' },
        { $match: { phones: /^\+/ } },
        { $group: { _id: byPhone, clients: { $push: '$_id' } } },
        { $match: { 'clients.1': { $exists: true } } },
        { $unwind: '$clients' },
        { $group: { _id: { organizationId: '$_id.organizationId', client: '$clients' } } },
        { $group: { _id: '$_id.organizationId', clients: { $sum: 1 } } },
        { $project: { _id: 0, organizationId: '$_id', clients: 1 } },
        { $sort: { organizationId: 1 } },
      ],
      { allowDiskUse: true, ...acrossTenants },
    );
  }
}
