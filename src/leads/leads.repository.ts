import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import { notDeleted } from '../database/documents/tenant-document.js';
import type { LeadDocument } from './lead.schema.js';

/** The fields of a lead that change. */
export type LeadFields = Omit<
  Partial<LeadDocument>,
  '_id' | 'organizationId' | 'createdAt' | 'updatedAt'
>;

@Injectable()
export class LeadsRepository {
  constructor(
    @InjectCollection('Lead') private readonly leads: TenantCollection<LeadDocument>,
    private readonly clock: Clock,
  ) {}

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
    keys: readonly string[],
    spellings: readonly (string | number)[],
  ): Promise<Pick<LeadDocument, '_id' | 'data' | 'assignedToId'>[]> {
    const filter = {
      ...notDeleted,
      $or: [
        { phoneKeys: { $in: keys }, ...notDeleted },
        { 'data.phoneNumber': { $in: spellings }, ...notDeleted },
        { 'data.phoneNumber2': { $in: spellings }, ...notDeleted },
      ],
    };
    const fields = ['data', 'assignedToId'] as const;
    return this.leads.find(organizationId, filter, { fields, sort: { leadId: 1, _id: 1 } });
  }

  /** How many numbers of a range are taken, also by deleted leads. */
  async countNumbers(
    organizationId: Types.ObjectId,
    { after, upTo }: { readonly after: number; readonly upTo: number },
  ): Promise<number> {
    return this.leads.count(organizationId, { leadId: { $gt: after, $lte: upTo } });
  }

  /** Stores a new lead without assignment. */
  async create(organizationId: Types.ObjectId, fields: LeadFields): Promise<LeadDocument> {
    const now = this.clock.now();
    const lead: LeadDocument = {
      _id: new Types.ObjectId(),
      organizationId,
      ...fields,
      assignedToId: null,
      parentId: null,
      isActive: true,
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.leads.insert(lead);
    return lead;
  }

  /** Sets fields of a lead and gives it as it is then. */
  async update(lead: LeadDocument, fields: LeadFields): Promise<LeadDocument> {
    const $set = { ...fields, updatedAt: this.clock.now() };
    await this.leads.updateOne(lead.organizationId, { _id: lead._id }, { $set });
    return { ...lead, ...$set };
  }
}
