import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument, addTtlIndex } from '../../core/database/documents/tenant-document.js';
import { FreeFormType } from '../../core/database/models/by-reference.js';
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

  @Prop({ type: String })
  requestId?: string;

  /** Older entries and imports have no key. */
  @Prop({ type: SchemaTypes.ObjectId })
  apiKeyId?: Types.ObjectId;

  @Prop({ type: FreeFormType, bsonType: 'array' })
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
