import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';

const counts = { statuses: [Number], buckets: [Number], milliseconds: Number };
const caller = { keyId: SchemaTypes.ObjectId, organizationId: SchemaTypes.ObjectId };

const deliveries = { delivered: Number, failed: Number };

interface StoredDeliveries {
  delivered: number;
  failed: number;
}

interface StoredCounts {
  statuses: number[];
  buckets: number[];
  milliseconds: number;
}

interface StoredCaller {
  keyId: Types.ObjectId | null;
  organizationId: Types.ObjectId | null;
}

/**
 * The calls of a minute that one process has had, those of an hour that all had, or those of one key by
 * the hours of a week (rule OPS-32). No document of an organization: it counts those of all.
 */
@Schema({ collection: 'callFigures' })
export class CallFigureDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  span!: 'minute' | 'hour' | 'week';

  /** When the minute, the hour or the week begins; weeks on Monday, UTC. */
  @Prop({ type: Date, required: true })
  at!: Date;

  /** Of a minute: the process. */
  @Prop({ type: String })
  instance!: string | null;

  /** Of a week: the key. */
  @Prop({ type: SchemaTypes.ObjectId })
  keyId?: Types.ObjectId;

  /** All calls; not of a week. */
  @Prop({ type: raw(counts), _id: false })
  total?: StoredCounts;

  /** By key and route; those that are too many to be told apart together. */
  @Prop({ type: [{ ...caller, route: String, ...counts, _id: false }], default: undefined })
  callers?: (StoredCaller & StoredCounts & { route: string })[];

  /** Of an hour: what its callers come to by route. */
  @Prop({ type: [{ route: String, ...counts, _id: false }], default: undefined })
  routes?: (StoredCounts & { route: string })[];

  /** Of an hour: what its callers come to by key. */
  @Prop({ type: [{ keyId: SchemaTypes.ObjectId, ...counts, _id: false }], default: undefined })
  keys?: (StoredCounts & { keyId: Types.ObjectId | null })[];

  /** Of an hour: all calls by minute, for the charts. */
  @Prop({ type: [{ at: Date, total: counts, deliveries, _id: false }], default: undefined })
  minutes?: { at: Date; total: StoredCounts; deliveries: StoredDeliveries }[];

  /** Of an hour: it holds the minutes that begin before. */
  @Prop({ type: Date })
  until?: Date;

  /** Of a week: calls by hour of the week, those without any left out. */
  @Prop({ type: SchemaTypes.Mixed })
  calls?: Record<string, number>;

  /** Of a week: those of the calls with a status of 400 and above. */
  @Prop({ type: SchemaTypes.Mixed })
  failed?: Record<string, number>;

  /** Attempts to deliver webhooks. */
  @Prop({ type: raw(deliveries), _id: false })
  deliveries?: StoredDeliveries;

  /** Of a minute: whether its hour holds it as it is. */
  @Prop({ type: Boolean })
  rolledUp?: boolean;

  /** When it was written last; tells that it has not changed since it was read. */
  @Prop({ type: Date, required: true })
  storedAt!: Date;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;
}

export const callFigureSchema = SchemaFactory.createForClass(CallFigureDocument);

/** One document of a minute for each process, of an hour for all, of a week for each key, however often written. */
callFigureSchema.index({ span: 1, at: 1, instance: 1, keyId: 1 }, { name: 'figure', unique: true });
/** Finds the minutes that their hour lacks. */
callFigureSchema.index(
  { at: 1 },
  { name: 'notRolledUp', partialFilterExpression: { rolledUp: false } },
);
/** Those of minutes go sooner than those of hours. */
removeAfter(
  callFigureSchema,
  { expiresAt: 1 },
  { kind: 'figures of calls', setting: 'FIGURES_RETENTION_DAYS', storesRemoval: true },
);
