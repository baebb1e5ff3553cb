import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { addTtlIndex } from '../../core/database/documents/tenant-document.js';
import { countFields } from './call-counts.js';

/** Contains the counts of all processes by quarter of an hour, key and route (rule OPS-32), see `countFields`. */
@Schema({ collection: 'usage', versionKey: false })
export class UsageDocument {
  declare _id: Types.ObjectId;

  /** Start of the quarter of an hour. */
  @Prop({ type: Date, required: true })
  at!: Date;

  /** Null for calls without a valid key, and for calls beyond the limit of a quarter of an hour. */
  @Prop({ type: SchemaTypes.ObjectId })
  apiKeyId!: Types.ObjectId | null;

  /** Method and route pattern, such as `POST /leads`, or `other` beyond the limit. */
  @Prop({ type: String, required: true })
  route!: string;

  /** Keyed by error code, notice or `fields.ignored`, with colons for dots. */
  @Prop({ type: SchemaTypes.Mixed })
  codes?: Record<string, number>;
}

export const usageSchema = SchemaFactory.createForClass(UsageDocument);
usageSchema.add(Object.fromEntries(countFields.map((field) => [field, Number])));

usageSchema.index({ at: 1, apiKeyId: 1, route: 1 }, { name: 'usage', unique: true });
usageSchema.index({ apiKeyId: 1, at: 1 }, { name: 'ofKey' });
addTtlIndex(usageSchema, { at: 1 }, { kind: 'usage statistics', setting: 'USAGE_RETENTION_DAYS' });
