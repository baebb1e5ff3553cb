import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import {
  type DeletableDocument,
  notDeleted,
} from '../../core/database/documents/tenant-document.js';
import type { BatchOptions, TenantFilter } from '../../core/database/documents/tenant-queries.js';
import { batchesOf } from '../../core/database/models/batches.js';
import { changedSince, newestChange } from '../../core/database/models/changes.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { LeadDocument } from '../lead.schema.js';

export type LeadFilter = TenantFilter<LeadDocument>;

@Injectable()
export class LeadListsRepository {
  constructor(@InjectModel('Lead') private readonly leads: TenantModel<LeadDocument>) {}

  async count(organizationId: Types.ObjectId, filter: LeadFilter): Promise<number> {
    return this.leads.countDocuments({ ...filter, organizationId });
  }

  batches(
    organizationId: Types.ObjectId,
    filter: LeadFilter,
    options: BatchOptions<LeadDocument>,
  ): AsyncGenerator<LeadDocument[], void> {
    return batchesOf(this.leads, { ...filter, organizationId }, options);
  }

  changedSince(organizationId: Types.ObjectId, since: Date): Promise<LeadFilter> {
    return changedSince(this.leads, organizationId, since);
  }

  newestChange(organizationId: Types.ObjectId): Promise<Date> {
    const leads = this.leads as unknown as TenantModel<DeletableDocument>;
    return newestChange([leads], organizationId);
  }

  /** Returns emails of leads whose `emailKey` the background job has not derived yet. */
  async findWithoutEmailKey(
    organizationId: Types.ObjectId,
    limit: number,
  ): Promise<Pick<LeadDocument, '_id' | 'data'>[]> {
    const filter = { organizationId, emailKey: null, ...notDeleted };
    return this.leads.find(filter, ['data.email'], { limit }).lean();
  }
}
