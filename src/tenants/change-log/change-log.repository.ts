import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
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
import { TenantDocument, addTtlIndex } from '../../core/database/documents/tenant-document.js';
import { type FieldChange, storedChanges } from './field-changes.js';

@Schema({ collection: 'changeLogs' })
export class ChangeLogDocument extends TenantDocument {
  @Prop({ type: String })
  entity?: 'Lead';

  @Prop({ type: SchemaTypes.ObjectId })
  entityId?: Types.ObjectId;

  @Prop({ type: String })
  context?: 'External Lead Create' | 'External Lead Update' | 'External Lead Delete';

  @Prop({ type: String })
  modifier?: 'External API';

  @Prop({ type: String })
  source?: 'API';

  @Prop({ type: String })
  requestId?: string;

  /** Older entries and imports have no key. */
  @Prop({ type: SchemaTypes.ObjectId })
  apiKeyId?: Types.ObjectId;

  @Prop({ type: [{ _id: false, field: String, from: {}, to: {} }] })
  changes?: readonly FieldChange[];
}

export const changeLogSchema = SchemaFactory.createForClass(ChangeLogDocument);

changeLogSchema.index(
  { organizationId: 1, entityId: 1, createdAt: 1, _id: 1 },
  { name: 'historyOfEntity' },
);
addTtlIndex(
  changeLogSchema,
  { createdAt: 1 },
  { kind: 'change log', setting: 'CHANGE_LOG_RETENTION_DAYS' },
);

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
