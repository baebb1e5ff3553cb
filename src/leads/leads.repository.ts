import { Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import { parseObjectId, notDeleted } from '../core/database/documents/tenant-document.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import type { ReadOptions, Tenants } from '../core/database/documents/tenant-queries.js';
import { looseCollation, caseSpellings } from '../core/localization/fold-case.js';
import type { LeadDocument } from './lead.schema.js';
import type { WrittenLead } from './upsert/lead-records.js';

const contactFields = [
  'clientId',
  'data.name',
  'data.email',
  'data.phoneNumber',
  'data.phoneNumber2',
] as const;

type LeadContact = Pick<LeadDocument, '_id' | 'clientId' | 'data'>;

export type UnerasedLead = Pick<
  LeadDocument,
  '_id' | 'leadId' | 'recordSystemId' | 'clientId' | 'deletedAt' | 'updatedAt'
>;

@Injectable()
export class LeadsRepository {
  constructor(@InjectCollection('Lead') private readonly leads: TenantCollection<LeadDocument>) {}

  async findActive(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
    options: Pick<ReadOptions<LeadDocument>, 'fields'> = {},
  ): Promise<LeadDocument[]> {
    if (recordSystemIds.length === 0) return [];
    const filter = { recordSystemId: { $in: recordSystemIds }, ...notDeleted };
    return this.leads.find(organizationId, filter, options);
  }

  async idsOf(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
  ): Promise<ReadonlyMap<string, Types.ObjectId>> {
    const fields = ['recordSystemId'] as const;
    const found = await this.findActive(organizationId, recordSystemIds, { fields });
    return new Map(found.map(({ recordSystemId = '', _id }) => [recordSystemId, _id]));
  }

  /** As {@link findActive}; null if several leads take more than so many bytes. */
  async findActiveTogether(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
    maxBytes: number,
  ): Promise<LeadDocument[] | null> {
    if (recordSystemIds.length === 0) return [];
    const filter = { recordSystemId: { $in: recordSystemIds }, ...notDeleted };
    const leads: LeadDocument[] = [];
    let bytes = 0;
    for await (const batch of this.leads.batches(organizationId, filter)) {
      for (const lead of batch) bytes += BSON.calculateObjectSize(lead);
      if (bytes > maxBytes && leads.length + batch.length > 1) return null;
      leads.push(...this.leads.known(batch));
    }
    return leads;
  }

  /** Finds leads by one of their ids, including deleted ones: the active one first, then the newest. */
  async findAll(
    organizationId: Tenants,
    id:
      | { recordSystemId: string }
      | { leadId: number }
      | { _id: Types.ObjectId | { $in: readonly Types.ObjectId[] } },
  ): Promise<LeadDocument[]> {
    const sort = { isDeleted: 1, createdAt: -1 } as const;
    if (!('recordSystemId' in id)) return this.leads.find(organizationId, id, { sort });
    // Each has an index of its own, which serves no condition on both.
    const active = await this.leads.find(organizationId, { ...id, isDeleted: false });
    const deleted = await this.leads.find(organizationId, { ...id, isDeleted: true }, { sort });
    return [...active, ...deleted];
  }

  /** As {@link findAll}, by an external id; else the lead with that as its own id. */
  async findNamed(organizationId: Types.ObjectId, reference: string): Promise<LeadDocument[]> {
    const found = await this.findAll(organizationId, { recordSystemId: reference });
    const _id = parseObjectId(reference);
    return found.length > 0 || _id === null ? found : this.findAll(organizationId, { _id });
  }

  async findByEmail(
    organizationId: Tenants,
    email: string,
    limit: number,
  ): Promise<LeadDocument[]> {
    const filter = { clientId: null, 'data.email': { $in: caseSpellings(email) }, ...notDeleted };
    return this.leads.find(organizationId, filter, { limit, collation: looseCollation });
  }

  async findOfClients(
    organizationId: Tenants,
    clientIds: readonly Types.ObjectId[],
    limit: number,
  ): Promise<LeadDocument[]> {
    if (clientIds.length === 0) return [];
    return this.leads.find(organizationId, { clientId: { $in: clientIds } }, { limit });
  }

  async countNumbers(
    organizationId: Types.ObjectId,
    { after, upTo }: { readonly after: number; readonly upTo: number },
  ): Promise<number> {
    return this.leads.count(organizationId, { leadId: { $gt: after, $lte: upTo } });
  }

  async write(organizationId: Types.ObjectId, leads: readonly WrittenLead[]): Promise<void> {
    const created = leads
      .filter(({ isNew }) => isNew)
      .map(({ lead }) => ({ insert: { ...lead, phoneKeysAt: lead.updatedAt } }));
    const updates = leads
      .filter(({ isNew }) => !isNew)
      .map(({ lead }) => ({ _id: lead._id, fields: decidedFields(lead) }));
    await this.leads.write(organizationId, [...created, ...updates]);
  }

  async findContacts(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<LeadContact[]> {
    return this.leads.find(organizationId, { _id: { $in: ids } }, { fields: contactFields });
  }

  /** Includes deleted leads, but no erased ones. */
  contactsOfAll(organizationId: Types.ObjectId): AsyncGenerator<LeadContact[], void> {
    return this.leads.batches(organizationId, { erasedAt: null }, { fields: contactFields });
  }

  /** Includes deleted leads, but no erased ones. */
  async ofClients(
    organizationId: Types.ObjectId,
    clientIds: readonly Types.ObjectId[],
  ): Promise<Pick<LeadDocument, '_id' | 'clientId'>[]> {
    if (clientIds.length === 0) return [];
    const filter = { clientId: { $in: clientIds }, erasedAt: null };
    return this.leads.find(organizationId, filter, { fields: ['clientId'] });
  }

  /** Finds leads that have values or that no erasure has deleted. */
  async findUnerased(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<UnerasedLead[]> {
    const $or = [
      { erasedAt: null },
      { isDeleted: false },
      { data: { $gt: {} } },
      { additionalData: { $gt: {} } },
    ];
    const fields = ['leadId', 'recordSystemId', 'clientId', 'deletedAt', 'updatedAt'] as const;
    return this.leads.find(organizationId, { _id: { $in: ids }, $or }, { fields });
  }

  /** Keeps ids, numbers and times. */
  async erase(
    organizationId: Types.ObjectId,
    leads: readonly UnerasedLead[],
    now: Date,
  ): Promise<void> {
    const writes = leads.map(({ _id, deletedAt, updatedAt }) => {
      // The pass over phones must not store keys that it has read before.
      const erasedAt = new Date(Math.max(now.getTime(), updatedAt.getTime() + 1));
      const values = { data: {}, additionalData: {} };
      const times = { deletedAt: deletedAt ?? now, updatedAt: erasedAt, erasedAt };
      const $unset = { phoneKeys: '', phoneKeysOf: '', phoneKeysAt: '' } as const;
      return { _id, update: { $set: { ...values, isDeleted: true, ...times }, $unset } };
    });
    await this.leads.write(organizationId, writes);
  }

  async softDelete({ organizationId, _id }: LeadDocument, deletedAt: Date): Promise<void> {
    const $set = { isDeleted: true, deletedAt, updatedAt: deletedAt };
    await this.leads.updateOne(organizationId, { _id }, { $set });
  }
}

function decidedFields({
  data,
  additionalData,
  compoundsIds,
  clientId,
  phoneKeys,
  phoneKeysOf,
  updatedAt,
}: LeadDocument) {
  const phones = { phoneKeys, phoneKeysOf, phoneKeysAt: updatedAt };
  return { data, additionalData, compoundsIds, clientId, ...phones, updatedAt };
}
