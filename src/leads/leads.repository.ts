import { Injectable } from '@nestjs/common';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { phoneKey, usualSpellings } from '../contacts/phone-number.js';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import { notDeleted } from '../database/documents/tenant-document.js';
import type { LeadDocument } from './lead.schema.js';
import type { WrittenLead } from './upsert/lead-decision.js';
import type { PhoneOwner } from './upsert/lead-records.js';

@Injectable()
export class LeadsRepository {
  constructor(@InjectCollection('Lead') private readonly leads: TenantCollection<LeadDocument>) {}

  /** The active leads with external ids. */
  async findActive(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
  ): Promise<LeadDocument[]> {
    if (recordSystemIds.length === 0) return [];
    const filter = { recordSystemId: { $in: recordSystemIds }, ...notDeleted };
    return this.leads.find(organizationId, filter);
  }

  /** As {@link findActive}, null for more than the database sends at once: about 16 MiB. */
  async findActiveInBatch(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
  ): Promise<LeadDocument[] | null> {
    if (recordSystemIds.length === 0) return [];
    const filter = { recordSystemId: { $in: recordSystemIds }, ...notDeleted };
    return this.leads.findInBatch(organizationId, filter);
  }

  /** Leads by an id of theirs, deleted ones included: the active one first, then the newest. */
  async findAll(
    organizationId: Types.ObjectId,
    id: { recordSystemId: string } | { _id: Types.ObjectId } | { leadId: number },
  ): Promise<LeadDocument[]> {
    return this.leads.find(organizationId, id, { sort: { isDeleted: 1, createdAt: -1 } });
  }

  /** Leads that may have one of the phones. */
  async findByPhones(
    organizationId: Types.ObjectId,
    phones: readonly string[],
    country: CountryCode,
  ): Promise<PhoneOwner[]> {
    if (phones.length === 0) return [];
    const keys = phones.map((phone) => phoneKey(phone, country));
    const spellings = phones.flatMap((phone) => usualSpellings(phone, country));
    const $or = [
      { phoneKeys: { $in: keys }, ...notDeleted },
      { 'data.phoneNumber': { $in: spellings }, ...notDeleted },
      { 'data.phoneNumber2': { $in: spellings }, ...notDeleted },
    ];
    const phoneFields = [
      'data.phoneNumber',
      'data.phoneNumber2',
      'phoneKeys',
      'phoneKeysOf',
    ] as const;
    const fields = ['leadId', 'assignedToId', ...phoneFields] as const;
    return this.leads.find(organizationId, { ...notDeleted, $or }, { fields });
  }

  /** How many numbers of a range are taken, also by deleted leads. */
  async countNumbers(
    organizationId: Types.ObjectId,
    { after, upTo }: { readonly after: number; readonly upTo: number },
  ): Promise<number> {
    return this.leads.count(organizationId, { leadId: { $gt: after, $lte: upTo } });
  }

  /** Stores new leads, and the fields of others that requests decide. */
  async write(organizationId: Types.ObjectId, leads: readonly WrittenLead[]): Promise<void> {
    const created = leads
      .filter(({ isNew }) => isNew)
      .map(({ lead }) => ({ ...lead, phoneKeysAt: lead.updatedAt }));
    const updates = leads
      .filter(({ isNew }) => !isNew)
      .map(({ lead }) => ({ _id: lead._id, fields: decidedFields(lead) }));
    await this.leads.write(organizationId, created, updates);
  }

  async softDelete({ organizationId, _id }: LeadDocument, deletedAt: Date): Promise<void> {
    const $set = { isDeleted: true, deletedAt, updatedAt: deletedAt };
    await this.leads.updateOne(organizationId, { _id }, { $set });
  }
}

/** What a request can change of a lead. */
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
