import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { type Counts, countFields } from './call-counts.js';

/**
 * What all processes together have counted (rule OPS-32): all calls of a minute, the calls of a quarter of an
 * hour by key and by route, or the calls of a key by the hours of a week. It belongs to no organization.
 */
@Schema({ collection: 'usageStats' })
export class UsageStatsDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  span!: 'minute' | 'quarter' | 'week';

  /** When the minute, quarter or week begins; a week begins on Monday, UTC. */
  @Prop({ type: Date, required: true })
  at!: Date;

  /** Of a week only. */
  @Prop({ type: SchemaTypes.ObjectId })
  keyId!: Types.ObjectId | null;

  /** Of a minute: attempts to deliver webhooks. */
  @Prop({ type: Number })
  delivered?: number;

  @Prop({ type: Number })
  undelivered?: number;

  /** Of a minute: the batches that begin with it and are stored. */
  @Prop({ type: [SchemaTypes.ObjectId], default: undefined })
  batches?: Types.ObjectId[];

  /** Of a quarter, by the id of the key. */
  @Prop({ type: SchemaTypes.Mixed })
  keys?: Record<string, Counts>;

  /** Of a quarter, by the route in percent-encoding: a name of a field has no dots. */
  @Prop({ type: SchemaTypes.Mixed })
  routes?: Record<string, Counts>;

  /** Of a week: calls and errors by hour of the week; an hour without calls is missing. */
  @Prop({ type: SchemaTypes.Mixed })
  hours?: Record<string, { calls: number; errors: number }>;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;
}

export const usageStatsSchema = SchemaFactory.createForClass(UsageStatsDocument);
usageStatsSchema.add(Object.fromEntries(countFields.map((field) => [field, Number])));

/** All processes add to the same document. */
usageStatsSchema.index({ span: 1, at: 1, keyId: 1 }, { name: 'usage', unique: true });
/** Minutes and weeks have fixed times, quarters that of the setting. */
removeAfter(
  usageStatsSchema,
  { expiresAt: 1 },
  { kind: 'usage statistics', setting: 'USAGE_RETENTION_DAYS', storesRemoval: true },
);
