import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import { notDeleted } from '../database/documents/tenant-document.js';
import { caseCandidates, foldCase, caseSpellings } from '../localization/fold-case.js';
import { isPlainObject } from '../values/plain-object.js';
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
    organizationId: Types.ObjectId,
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

  /**
   * Deletes clients and removes what says anything of the person, fields of other programs too; ids,
   * numbers, times and flags stay.
   */
  async erase(
    organizationId: Types.ObjectId,
    clients: readonly ClientDocument[],
    now: Date,
  ): Promise<void> {
    const writes = clients.map((client) => {
      const { _id } = client;
      const deletedAt = client.deletedAt ?? now;
      const $set = { phoneNumbers: [], isDeleted: true, deletedAt, updatedAt: now, erasedAt: now };
      const names = Object.keys(valuesOf(client)).filter((name) => name !== 'phoneNumbers');
      const $unset = Object.fromEntries(names.map((name) => [name, '' as const]));
      return { _id, update: { $set, ...(names.length === 0 ? {} : { $unset }) } };
    });
    await this.clients.writeChanges(organizationId, writes);
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
    await this.clients.write(organizationId, created, updates);
  }
}

/** What a client holds that may say something of the person: texts, lists and objects. */
export function valuesOf(client: ClientDocument): Record<string, unknown> {
  const entries = Object.entries(client).filter(([, value]) => {
    if (Array.isArray(value)) return value.length > 0;
    return typeof value === 'string' || (isPlainObject(value) && !(value instanceof Date));
  });
  return Object.fromEntries(entries);
}
