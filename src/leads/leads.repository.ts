import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Phone } from '../contacts/phone-number.js';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import { notDeleted } from '../database/documents/tenant-document.js';
import type { LeadDocument } from './lead.schema.js';

/** What the duplicate check looks for. */
export interface PhoneSearch {
  readonly keys: readonly string[];
  readonly spellings: readonly Phone[];
}

/** The queries on `leads`. */
@Injectable()
export class LeadsRepository {
  constructor(@InjectCollection('Lead') private readonly leads: TenantCollection<LeadDocument>) {}

  async findActive(
    organizationId: Types.ObjectId,
    recordSystemId: string,
  ): Promise<LeadDocument | null> {
    return this.leads.findOne(organizationId, { recordSystemId, ...notDeleted });
  }

  /** Leads by an id of theirs, deleted ones included: the active one first, then the newest. */
  async findAll(
    organizationId: Types.ObjectId,
    id: { recordSystemId: string } | { _id: Types.ObjectId } | { leadId: number },
  ): Promise<LeadDocument[]> {
    return this.leads.find(organizationId, id, { sort: { isDeleted: 1, createdAt: -1 } });
  }

  /** Leads that may have one of the phones, in the order of their numbers. */
  async findByPhones(
    organizationId: Types.ObjectId,
    { keys, spellings }: PhoneSearch,
  ): Promise<Pick<LeadDocument, '_id' | 'data' | 'leadId' | 'assignedToId'>[]> {
    const filter = {
      ...notDeleted,
      $or: [
        { phoneKeys: { $in: keys }, ...notDeleted },
        { 'data.phoneNumber': { $in: spellings }, ...notDeleted },
        { 'data.phoneNumber2': { $in: spellings }, ...notDeleted },
      ],
    };
    const fields = ['data', 'leadId', 'assignedToId'] as const;
    return this.leads.find(organizationId, filter, { fields, sort: { leadId: 1, _id: 1 } });
  }

  /** Numbers that are taken, deleted leads included, from one number on in ascending order. */
  async takenNumbers(
    organizationId: Types.ObjectId,
    from: number,
    limit: number,
  ): Promise<number[]> {
    const options = { fields: ['leadId'], sort: { leadId: 1 }, limit } as const;
    const leads = await this.leads.find(organizationId, { leadId: { $gte: from } }, options);
    return leads.map(({ leadId }) => leadId);
  }

  async insert(lead: LeadDocument): Promise<void> {
    await this.leads.insert(lead);
  }

  async setFields(lead: LeadDocument, fields: Partial<LeadDocument>): Promise<void> {
    await this.leads.updateOne(lead.organizationId, { _id: lead._id }, { $set: fields });
  }
}
