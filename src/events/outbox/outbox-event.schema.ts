import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Timestamp } from 'mongodb';
import { SchemaTypes } from 'mongoose';
import { addTtlIndex, TenantDocument } from '../../core/database/documents/tenant-document.js';
import { FreeFormType } from '../../core/database/models/by-reference.js';

/** The server replaces it with the cluster's logical time on insert. */
export const serverTimestampPlaceholder = new Timestamp({ t: 0, i: 0 });

/** Ten attempts with pauses of at most a day fit into the 15 days after the feed stops showing an event. */
export const eventRetention = {
  setting: 'EVENTS_RETENTION_DAYS',
  minimumDays: 30,
  extraDays: 15,
} as const;

@Schema({ collection: 'outboxEvents' })
export class OutboxEventDocument extends TenantDocument {
  @Prop({ type: String, required: true })
  type!: string;

  /** Shows the object like the API does in the default language. */
  @Prop({ type: FreeFormType, bsonType: 'object' })
  data!: object;

  @Prop({ type: FreeFormType, bsonType: 'array' })
  changes?: readonly object[];

  /** Identifies the request that made the change; imports have none. */
  @Prop({ type: String })
  requestId?: string;

  /** The transaction's logical cluster time, which is later than that of the event's cause. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'timestamp' })
  storedAt?: Timestamp;

  @Prop({ type: Number })
  sequence?: number | null;

  /** Time when the event got its number and deliveries; never earlier than that of a lower number. */
  @Prop({ type: Date })
  numberedAt?: Date;

  @Prop({ type: String })
  failureReason?: string | null;

  /** Set when personal data was removed: a writer that read the event before must not restore it. */
  @Prop({ type: Date })
  erasedAt?: Date | null;
}

export const outboxEventSchema = SchemaFactory.createForClass(OutboxEventDocument);

outboxEventSchema.index({ organizationId: 1, createdAt: -1 }, { name: 'byOrganization' });
outboxEventSchema.index(
  { organizationId: 1, storedAt: 1 },
  { name: 'unnumbered', partialFilterExpression: { sequence: null } },
);
outboxEventSchema.index(
  { organizationId: 1, sequence: 1 },
  { name: 'feed', unique: true, partialFilterExpression: { sequence: { $gt: 0 } } },
);
outboxEventSchema.index(
  { organizationId: 1, numberedAt: -1 },
  { name: 'failed', partialFilterExpression: { failureReason: { $gt: '' } } },
);
/** Serves the history of one object and its erasure. */
outboxEventSchema.index(
  { organizationId: 1, 'data._id': 1, createdAt: -1, _id: -1 },
  { name: 'aboutObject' },
);
outboxEventSchema.index({ organizationId: 1, requestId: 1 }, { name: 'ofRequest' });
/** Deliveries need the contents, so events outlive them by an hour. */
addTtlIndex(
  outboxEventSchema,
  { numberedAt: 1 },
  { kind: 'events', ...eventRetention, marginSeconds: 3_600 },
  { name: 'numberedExpiry', partialFilterExpression: { sequence: { $gt: 0 } } },
);

/** Stores the last assigned number (rule FEED-2). Its `_id` is that of the organization. */
@Schema({ collection: 'eventFeeds', versionKey: false })
export class EventFeedDocument extends TenantDocument {
  @Prop({ type: Number, required: true })
  last!: number;

  @Prop({ type: Date })
  numberedAt!: Date | null;
}

export const eventFeedSchema = SchemaFactory.createForClass(EventFeedDocument);
