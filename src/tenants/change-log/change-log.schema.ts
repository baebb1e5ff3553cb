import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { expireAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';
import type { FieldChange } from './field-changes.js';

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

  /** Missing in older entries. */
  @Prop({ type: String })
  requestId?: string;

  /** Missing in older entries and those of imports. */
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
expireAfter(
  changeLogSchema,
  { createdAt: 1 },
  { kind: 'change log', setting: 'CHANGE_LOG_RETENTION_DAYS' },
);
