import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';
import type { FieldChange } from './field-changes.js';

/** What happened to a lead (rule LEAD-12). */
export type ChangeContext =
  'External Lead Create' | 'External Lead Update' | 'External Lead Delete';

@Schema({ collection: 'changeLogs' })
export class ChangeLogDocument extends TenantDocument {
  @Prop({ type: String })
  entity?: 'Lead';

  @Prop({ type: SchemaTypes.ObjectId })
  entityId?: Types.ObjectId;

  @Prop({ type: String })
  context?: ChangeContext;

  @Prop({ type: String })
  modifier?: 'External API';

  @Prop({ type: String })
  source?: 'API';

  /** The request that made the change; older entries have none. */
  @Prop({ type: String })
  requestId?: string;

  /** The key of that request; older entries have none, and that of an import is no key. */
  @Prop({ type: SchemaTypes.ObjectId })
  apiKeyId?: Types.ObjectId;

  @Prop({ type: [{ _id: false, field: String, from: {}, to: {} }] })
  changes?: readonly FieldChange[];
}

export const changeLogSchema = SchemaFactory.createForClass(ChangeLogDocument);

/** Serves the history of one lead, oldest first. */
changeLogSchema.index(
  { organizationId: 1, entityId: 1, createdAt: 1, _id: 1 },
  { name: 'historyOfEntity' },
);
removeAfter(
  changeLogSchema,
  { createdAt: 1 },
  { kind: 'change log', setting: 'CHANGE_LOG_RETENTION_DAYS' },
);
