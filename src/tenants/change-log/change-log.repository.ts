import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { BatchedUpdates } from '../../core/database/documents/tenant-queries.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import type { ChangeLogDocument } from './change-log.schema.js';
import { type FieldChange, storedChanges } from './field-changes.js';

export type ChangeLogEntry = ChangeLogDocument;

export type LeadChange = Required<
  Pick<ChangeLogDocument, 'entityId' | 'context' | 'requestId' | 'apiKeyId' | 'changes'>
>;

@Injectable()
export class ChangeLogRepository {
  constructor(
    @InjectCollection('ChangeLog') private readonly entries: TenantCollection<ChangeLogDocument>,
  ) {}

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
    await this.entries.insert(...entries);
  }

  updatesOfLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
    changesOf: (changes: readonly FieldChange[]) => readonly FieldChange[],
  ): AsyncGenerator<BatchedUpdates, void> {
    return this.entries.batchedUpdates(organizationId, { entityId: { $in: leadIds } }, (entry) => {
      const changes = changesOf(storedChanges(entry.changes));
      return isDeepStrictEqual(changes, entry.changes ?? []) ? null : { $set: { changes } };
    });
  }

  async historyOf(
    organizationId: Types.ObjectId,
    entityId: Types.ObjectId,
    part: KeysetRequest,
  ): Promise<KeysetPage<ChangeLogDocument>> {
    return this.entries.page(organizationId, { entityId }, newestFirst, part);
  }

  async findByLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): Promise<ChangeLogDocument[]> {
    const sort = { createdAt: 1, _id: 1 } as const;
    return this.entries.find(organizationId, { entityId: { $in: leadIds } }, { sort });
  }
}
