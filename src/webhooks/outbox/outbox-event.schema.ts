import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { TenantDocument } from '../../database/documents/tenant-document.js';

/** How long events, deliveries and attempts can be looked up afterwards (rule HOOK-13). */
export const retentionSeconds = 30 * 86_400;

const unsubscribedRetentionMs = 86_400_000;

/** When an event goes that nobody was subscribed to at a time (rule HOOK-13). */
export function unsubscribedExpiry(from: Date): Date {
  return new Date(from.getTime() + unsubscribedRetentionMs);
}

/** An event for the organization's webhook endpoints. */
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

  /** When its deliveries were created, or could not be; null before that. */
  @Prop({ type: Date })
  relayedAt!: Date | null;

  /** When it goes, if earlier than others: nobody was subscribed to it. */
  @Prop({ type: Date })
  expiresAt?: Date | null;

  /** Why not all of its deliveries could be created. */
  @Prop({ type: String })
  failureReason?: string | null;

  /** When what it said of a person was removed; whoever has read it before must not write it back. */
  @Prop({ type: Date })
  erasedAt?: Date | null;
}

export const outboxEventSchema = SchemaFactory.createForClass(OutboxEventDocument);

/** Serves the list of an organization's events, newest first. */
outboxEventSchema.index({ organizationId: 1, createdAt: -1 }, { name: 'byOrganization' });
/** Serves the relay, which takes waiting events in the order of their creation. Others are not in it. */
outboxEventSchema.index(
  { createdAt: 1 },
  { name: 'unrelayed', partialFilterExpression: { relayedAt: null } },
);
/** Serves the list of the events of an organization that could not be relayed, newest first. */
outboxEventSchema.index(
  { organizationId: 1, relayedAt: -1 },
  { name: 'failed', partialFilterExpression: { failureReason: { $gt: '' } } },
);
/** Relayed events expire; one that waits has no such time (rule HOOK-13). */
outboxEventSchema.index(
  { relayedAt: 1 },
  {
    name: 'relayedExpiry',
    expireAfterSeconds: retentionSeconds,
    partialFilterExpression: { relayedAt: { $type: 'date' } },
  },
);
/** Events that nobody was subscribed to expire earlier. */
outboxEventSchema.index(
  { expiresAt: 1 },
  {
    name: 'earlyExpiry',
    expireAfterSeconds: 0,
    partialFilterExpression: { expiresAt: { $type: 'date' } },
  },
);
