import { Injectable } from '@nestjs/common';
import { Decimal128, Long, ObjectId } from 'mongodb';
import type { Types } from 'mongoose';
import { isPhone } from '../contacts/phone-number.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import type { Tenants } from '../../core/database/documents/tenant-queries.js';
import { caseCandidates, foldCase, caseSpellings } from '../../core/localization/fold-case.js';
import type { ClientDocument } from './client.schema.js';

@Injectable()
export class ClientsRepository {
  constructor(
    @InjectCollection('Client') private readonly clients: TenantCollection<ClientDocument>,
  ) {}

  async findByIds(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ClientDocument[]> {
    if (ids.length === 0) return [];
    return this.clients.find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }

  /** Clients that have one of the phones in one of the given spellings. */
  async findByPhones(
    organizationId: Types.ObjectId,
    spellings: readonly string[],
  ): Promise<ClientDocument[]> {
    if (spellings.length === 0) return [];
    return this.clients.find(organizationId, { phoneNumbers: { $in: spellings }, ...notDeleted });
  }

  /** Clients that have one of the emails, in any case. */
  async findByEmails(
    organizationId: Tenants,
    emails: readonly string[],
  ): Promise<ClientDocument[]> {
    if (emails.length === 0) return [];
    const filter = { email: { $in: emails.flatMap(caseSpellings) }, ...notDeleted };
    const candidates = await this.clients.find(organizationId, filter, {
      collation: caseCandidates,
    });
    const folded = new Set(emails.map(foldCase));
    return candidates.filter(({ email }) => folded.has(foldCase(email ?? '')));
  }

  /** Clients of ids, deleted ones included. */
  async findAllByIds(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ClientDocument[]> {
    if (ids.length === 0) return [];
    return this.clients.find(organizationId, { _id: { $in: ids } });
  }

  /** As {@link findAllByIds}, with all that other programs have stored. */
  async findAllAsStored(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ClientDocument[]> {
    if (ids.length === 0) return [];
    return this.clients.findAsStored(organizationId, { _id: { $in: ids } });
  }

  /**
   * Deletes clients and removes what says anything of the person, fields of other programs too; ids,
   * times, flags and short numbers stay.
   */
  async erase(
    organizationId: Types.ObjectId,
    clients: readonly ClientDocument[],
    now: Date,
  ): Promise<void> {
    for (const client of clients) {
      const deletedAt = client.deletedAt instanceof Date ? client.deletedAt : now;
      const times = { deletedAt, updatedAt: now, erasedAt: now };
      // Fields of other programs may have names with dots or a dollar sign, or an empty one.
      const isLeft = { $not: { $in: ['$$this.k', { $literal: personalFields(client) }] } };
      const left = { $filter: { input: { $objectToArray: '$$ROOT' }, cond: isLeft } };
      const set = { $literal: { phoneNumbers: [], isDeleted: true, ...times } };
      const $replaceWith = { $mergeObjects: [{ $arrayToObject: left }, set] };
      await this.clients.updateOne(organizationId, { _id: client._id }, [{ $replaceWith }]);
    }
  }

  /** Stores new clients, and the fields of others that leads decide. */
  async write(
    organizationId: Types.ObjectId,
    created: readonly ClientDocument[],
    updated: readonly ClientDocument[],
  ): Promise<void> {
    const updates = updated.map(({ _id, name, email, phoneNumbers, updatedAt }) => ({
      _id,
      fields: { name, email, phoneNumbers, updatedAt },
    }));
    await this.clients.write(organizationId, [
      ...created.map((insert) => ({ insert })),
      ...updates,
    ]);
  }
}

/** The names of the fields of a client that may say something of the person. */
export function personalFields(client: ClientDocument): string[] {
  return Object.entries(client).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'phoneNumbers') return Array.isArray(value) && value.length === 0 ? [] : [name];
    const isOwn = name === 'name' || name === 'email';
    return !isOwn && isImpersonal(value) ? [] : [name];
  });
}

/** An id, a time, a flag, or a number that is no phone. */
function isImpersonal(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (value instanceof ObjectId || value instanceof Date) return true;
  const isNumber =
    typeof value === 'number' || value instanceof Long || value instanceof Decimal128;
  return isNumber && !isPhone(String(value));
}
