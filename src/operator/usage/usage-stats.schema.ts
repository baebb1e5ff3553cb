import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { expireAfter } from '../../core/database/documents/tenant-document.js';
import { type Counts, countFields } from './call-counts.js';
import type { TimeStep } from './time-steps.js';

/**
 * Counts of all processes (rule OPS-32): all calls of a quarter of an hour, an hour or a day, or the calls of a key
 * by the hours of a week. It belongs to no organization.
 */
@Schema({ collection: 'usageStats' })
export class UsageStatsDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  span!: TimeStep;

  @Prop({ type: Date, required: true })
  at!: Date;

  /** Of a week only. */
  @Prop({ type: SchemaTypes.ObjectId })
  keyId!: Types.ObjectId | null;

  /** Webhook attempts; not of a week. */
  @Prop({ type: Number })
  delivered?: number;

  @Prop({ type: Number })
  undelivered?: number;

  /** Of a quarter, by the id of the key. */
  @Prop({ type: SchemaTypes.Mixed })
  keys?: Record<string, Counts>;

  /** Of a quarter, by the route in percent-encoding: names of fields have no dots. */
  @Prop({ type: SchemaTypes.Mixed })
  routes?: Record<string, Counts>;

  /** Of a week, by hour of the week. Two maps of numbers are decoded in a third of the time of a map of pairs. */
  @Prop({ type: SchemaTypes.Mixed })
  callsByHour?: Record<string, number>;

  @Prop({ type: SchemaTypes.Mixed })
  errorsByHour?: Record<string, number>;

  @Prop({ type: SchemaTypes.Mixed })
  used?: Record<string, number>;

  /** Of a week: logged requests by day of the week. */
  @Prop({ type: SchemaTypes.Mixed })
  logged?: Record<string, number>;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;
}

export const usageStatsSchema = SchemaFactory.createForClass(UsageStatsDocument);
usageStatsSchema.add(Object.fromEntries(countFields.map((field) => [field, Number])));

usageStatsSchema.index({ span: 1, at: 1, keyId: 1 }, { name: 'usage', unique: true });
/** Weeks of keys have a fixed retention, the others that of the setting. */
expireAfter(
  usageStatsSchema,
  { expiresAt: 1 },
  { kind: 'usage statistics', setting: 'USAGE_RETENTION_DAYS', storesRemoval: true },
);
