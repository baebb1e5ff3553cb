import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { addTtlIndex } from '../../core/database/documents/tenant-document.js';
import { type Counts, countFields } from './call-counts.js';
import type { ChartInterval } from './chart-intervals.js';

/**
 * Contains counts of all processes (rule OPS-32): all calls of a quarter of an hour, an hour or a day, or the calls
 * of a key by the hours of a week. It belongs to no organization.
 */
@Schema({ collection: 'usageStats', versionKey: false })
export class UsageStatsDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  span!: ChartInterval;

  @Prop({ type: Date, required: true })
  at!: Date;

  /** Set only for a week. */
  @Prop({ type: SchemaTypes.ObjectId })
  keyId!: Types.ObjectId | null;

  /** Counts webhook attempts; absent for a week. */
  @Prop({ type: Number })
  delivered?: number;

  @Prop({ type: Number })
  undelivered?: number;

  /** Set for a quarter of an hour; keyed by the id of the key. */
  @Prop({ type: SchemaTypes.Mixed })
  keys?: Record<string, Counts>;

  /** Set for a quarter of an hour; keyed by the percent-encoded route, because field names must not have dots. */
  @Prop({ type: SchemaTypes.Mixed })
  routes?: Record<string, Counts>;

  /** Set for a week; keyed by hour. Two maps of numbers are decoded three times as fast as one map of pairs. */
  @Prop({ type: SchemaTypes.Mixed })
  callsByHour?: Record<string, number>;

  @Prop({ type: SchemaTypes.Mixed })
  errorsByHour?: Record<string, number>;

  @Prop({ type: SchemaTypes.Mixed })
  used?: Record<string, number>;

  /** Set for a week: logged requests by day. */
  @Prop({ type: SchemaTypes.Mixed })
  logged?: Record<string, number>;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;
}

export const usageStatsSchema = SchemaFactory.createForClass(UsageStatsDocument);
usageStatsSchema.add(Object.fromEntries(countFields.map((field) => [field, Number])));

usageStatsSchema.index({ span: 1, at: 1, keyId: 1 }, { name: 'usage', unique: true });
/** Weeks of keys have a fixed retention; the setting applies to the others. */
addTtlIndex(
  usageStatsSchema,
  { expiresAt: 1 },
  { kind: 'usage statistics', setting: 'USAGE_RETENTION_DAYS', storesRemoval: true },
);
