import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument, addTtlIndex } from '../../core/database/documents/tenant-document.js';

/** Contains no sent values (rule OPS-36). */
@Schema({ collection: 'requestLog' })
export class RequestLogDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  apiKeyId!: Types.ObjectId;

  @Prop({ type: String, required: true })
  route!: string;

  @Prop({ type: Number, required: true })
  status!: number;

  @Prop({ type: [String], required: true })
  errorCodes!: readonly string[];

  @Prop({ type: [String], required: true })
  messages!: readonly string[];

  /** Contains only strings that look like field names. */
  @Prop({ type: [String], required: true })
  ignoredFields!: readonly string[];

  /** Absent in entries of earlier versions. */
  @Prop({ type: [String] })
  notices?: readonly string[];

  @Prop({ type: String, required: true })
  requestId!: string;

  @Prop({ type: Number, required: true })
  durationMs!: number;
}

export const requestLogSchema = SchemaFactory.createForClass(RequestLogDocument);

requestLogSchema.index(
  { organizationId: 1, apiKeyId: 1, createdAt: -1, _id: -1 },
  { name: 'ofKey' },
);
/** Partners report request ids without naming a key. */
requestLogSchema.index({ requestId: 1 }, { name: 'byRequestId' });
addTtlIndex(
  requestLogSchema,
  { createdAt: 1 },
  { kind: 'refused requests', setting: 'REQUEST_LOG_DAYS' },
);
