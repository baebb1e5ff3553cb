import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Timestamp } from 'mongodb';
import { SchemaTypes } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** Has the server put the cluster's logical time in its place when the event is stored. */
export const timeOfStoring = new Timestamp({ t: 0, i: 0 });

/**
 * How long an event and its deliveries are kept: ten attempts with pauses of a day at most end within 15 days
 * after the feed stops to show it, and until then a delivery can be replayed.
 */
export const eventRetention = {
  setting: 'EVENTS_RETENTION_DAYS',
  minimumDays: 30,
  extraDays: 15,
} as const;

/** An event, for the organization's webhook endpoints and its feed of events. */
@Schema({ collection: 'outboxEvents' })
export class OutboxEventDocument extends TenantDocument {
  @Prop({ type: String, required: true })
  type!: string;

  /** The object as the API shows it, in the default language. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  data!: object;

  /** What an update has changed. */
  @Prop({ type: [], default: undefined })
  changes?: readonly object[];

  /** The request that made the change; none for an import, or before there was this field. */
  @Prop({ type: String })
  requestId?: string;

  /**
   * The cluster's logical time when it was stored, inside the transaction of its change: of two events one
   * of which knows of the other it is the earlier one's that is lower, whatever the clocks of the processes
   * say.
   */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'timestamp' })
  storedAt?: Timestamp;

  /** Its number among the events of the organization (rule FEED-2); absent before it has one. */
  @Prop({ type: Number })
  sequence?: number | null;

  /** When it got its number and its deliveries; never before that of a lower number. */
  @Prop({ type: Date })
  numberedAt?: Date;

  /** Why it has no deliveries. */
  @Prop({ type: String })
  failureReason?: string | null;

  /** When what it said of a person was removed; whoever has read it before must not write it back. */
  @Prop({ type: Date })
  erasedAt?: Date | null;
}

export const outboxEventSchema = SchemaFactory.createForClass(OutboxEventDocument);

/** Serves the list of an organization's events, newest first. */
outboxEventSchema.index({ organizationId: 1, createdAt: -1 }, { name: 'byOrganization' });
/** Serves the relay: the events without a number, in the order in which they were stored. Others are not in it. */
outboxEventSchema.index(
  { organizationId: 1, storedAt: 1 },
  { name: 'unnumbered', partialFilterExpression: { sequence: null } },
);
/** Serves the feed, and keeps two events from having one number. */
outboxEventSchema.index(
  { organizationId: 1, sequence: 1 },
  { name: 'feed', unique: true, partialFilterExpression: { sequence: { $gt: 0 } } },
);
/** Serves the list of the events of an organization that could not be relayed, newest first. */
outboxEventSchema.index(
  { organizationId: 1, numberedAt: -1 },
  { name: 'failed', partialFilterExpression: { failureReason: { $gt: '' } } },
);
/** Serves the history of one object, and the erasure of it. */
outboxEventSchema.index(
  { organizationId: 1, 'data._id': 1, createdAt: -1, _id: -1 },
  { name: 'aboutObject' },
);
/** Serves the search for what a request did. */
outboxEventSchema.index({ organizationId: 1, requestId: 1 }, { name: 'ofRequest' });
/** An event outlives its deliveries, which need its contents. */
removeAfter(
  outboxEventSchema,
  { numberedAt: 1 },
  { kind: 'events', ...eventRetention, marginSeconds: 3_600 },
  { name: 'numberedExpiry', partialFilterExpression: { sequence: { $gt: 0 } } },
);
