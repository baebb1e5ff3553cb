import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import {
  changesIndex,
  type DeletableDocument,
  notDeleted,
} from '../../core/database/documents/tenant-document.js';
import type { BatchOptions, TenantFilter } from '../../core/database/documents/tenant-queries.js';
import { batchesOf } from '../../core/database/models/batches.js';
import { changedSince, newestChange } from '../../core/database/models/changes.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { LeadDocument } from '../lead.schema.js';

export type LeadFilter = TenantFilter<LeadDocument>;

export type LeadEmail = Pick<LeadDocument, '_id' | 'data'>;

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

  /** @param emailKey null finds leads whose key the background job has not derived yet */
  async findByEmailKey(
    organizationId: Types.ObjectId,
    emailKey: string | null,
    limit: number,
  ): Promise<LeadEmail[]> {
    const filter = { organizationId, emailKey, ...notDeleted };
    return this.leads.find(filter, ['data.email'], { limit }).lean();
  }

  /** Returns leads that other programs have changed since, whose `emailKey` may be of another email. */
  async idsChangedElsewhere(
    organizationId: Types.ObjectId,
    since: Date,
    limit: number,
  ): Promise<Types.ObjectId[]> {
    const changed = await this.leads.aggregate<Pick<LeadDocument, '_id'>>(
      [
        { $match: { organizationId, updatedAt: { $gte: since }, ...notDeleted } },
        // A computed field lets the index alone decide: a comparison in the filter would read every lead.
        { $project: { isOwn: { $eq: ['$updatedAt', '$phoneKeysAt'] } } },
        { $match: { isOwn: false } },
        { $limit: limit },
        { $project: { _id: 1 } },
      ],
      { hint: changesIndex },
    );
    return changed.map(({ _id }) => _id);
  }

  async findEmails(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<LeadEmail[]> {
    if (ids.length === 0) return [];
    return this.leads.find({ organizationId, _id: { $in: ids } }, ['data.email']).lean();
  }
}
