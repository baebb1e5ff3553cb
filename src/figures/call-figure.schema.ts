import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';

const counts = { statuses: [Number], buckets: [Number], milliseconds: Number };
const caller = { keyId: SchemaTypes.ObjectId, organizationId: SchemaTypes.ObjectId };

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
 * The calls of a minute that one process has had, or those of an hour that all had (rule OPS-32). No
 * document of an organization: it counts those of all.
 */
@Schema({ collection: 'callFigures' })
export class CallFigureDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  span!: 'minute' | 'hour';

  /** When the minute or the hour begins. */
  @Prop({ type: Date, required: true })
  at!: Date;

  /** The process; null for an hour. */
  @Prop({ type: String })
  instance!: string | null;

  /** All calls, the first thing that charts need. */
  @Prop({ type: raw(counts), _id: false })
  total!: StoredCounts;

  /** By key and route; those that are too many to be told apart together. */
  @Prop({ type: [{ ...caller, route: String, ...counts, _id: false }] })
  callers!: (StoredCaller & StoredCounts & { route: string })[];

  /** Of an hour: by key alone, for the habits of partners. */
  @Prop({ type: [{ ...caller, calls: Number, failed: Number, _id: false }], default: undefined })
  keys?: (StoredCaller & { calls: number; failed: number })[];

  /** Attempts to deliver webhooks. */
  @Prop({ type: raw({ delivered: Number, failed: Number }), _id: false })
  deliveries!: { delivered: number; failed: number };

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

/** Each process has one document of a minute however often it writes, and an hour has one of all. */
callFigureSchema.index({ span: 1, at: 1, instance: 1 }, { name: 'figure', unique: true });
/** Finds the minutes that their hour lacks. */
callFigureSchema.index(
  { at: 1 },
  { name: 'notRolledUp', partialFilterExpression: { rolledUp: false } },
);
