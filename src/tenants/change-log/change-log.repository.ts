import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { BatchedUpdates } from '../../core/database/documents/tenant-queries.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import { batchedUpdatesOf } from '../../core/database/models/batches.js';
import { byReference } from '../../core/database/models/by-reference.js';
import { pageOf } from '../../core/database/models/pages.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { ChangeLogDocument } from './change-log.schema.js';
import { type FieldChange, storedChanges } from './field-changes.js';

export type LeadChange = Required<
  Pick<ChangeLogDocument, 'entityId' | 'context' | 'requestId' | 'apiKeyId' | 'changes'>
>;

@Injectable()
export class ChangeLogRepository {
  constructor(@InjectModel('ChangeLog') private readonly entries: TenantModel<ChangeLogDocument>) {}

  async addLeadChanges(
    organizationId: Types.ObjectId,
    changes: readonly LeadChange[],
    now: Date,
  ): Promise<void> {
    const entries = changes.map((change) => ({
      _id: new Types.ObjectId(),
      organizationId,
      entity: 'Lead' as const,
      modifier: 'External API' as const,
      source: 'API' as const,
      ...change,
      createdAt: now,
      updatedAt: now,
    }));
    if (entries.length > 0) await this.entries.insertMany(entries, { lean: true });
  }

  updatesOfLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
    changesOf: (changes: readonly FieldChange[]) => readonly FieldChange[],
  ): AsyncGenerator<BatchedUpdates, void> {
    const filter = { entityId: { $in: leadIds } };
    return batchedUpdatesOf(this.entries, organizationId, filter, (entry) => {
      const changes = changesOf(storedChanges(entry.changes));
      if (isDeepStrictEqual(changes, entry.changes ?? [])) return null;
      return { $set: { changes: byReference(changes) } };
    });
  }

  async historyOf(
    organizationId: Types.ObjectId,
    entityId: Types.ObjectId,
    part: KeysetRequest,
  ): Promise<KeysetPage<ChangeLogDocument>> {
    return pageOf(this.entries, { organizationId, entityId }, newestFirst, part);
  }

  async findByLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): Promise<ChangeLogDocument[]> {
    const sort = { createdAt: 1, _id: 1 } as const;
    return this.entries.find({ organizationId, entityId: { $in: leadIds } }, null, { sort }).lean();
  }
}
