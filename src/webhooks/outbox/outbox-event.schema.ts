import { Schema, type Types } from 'mongoose';

/** An event that waits to be sent to the organization's webhook endpoints. */
export interface OutboxEventDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  type: string;
  /** The object as the API shows it. */
  data: object;
  /** For updates, what changed. */
  changes?: readonly object[];
  /** When the event was handed to the endpoints; null while it waits. */
  relayedAt: Date | null;
  /** Until when a relay has it to itself. */
  leasedUntil?: Date | null;
  leaseOwner?: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** How long what was sent, and how, can be looked up. */
export const keptSeconds = 30 * 86_400;

/** Collection `outboxEvents`. */
export const outboxEventSchema = new Schema<OutboxEventDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    type: { type: String, required: true },
    data: { type: Schema.Types.Mixed, bsonType: 'object' },
    changes: { type: [], default: undefined },
    relayedAt: Date,
    leasedUntil: Date,
    leaseOwner: String,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'outboxEvents' },
);

/** Serves the operator's look-up of what an organization was told, newest first. */
outboxEventSchema.index({ organizationId: 1, createdAt: -1 }, { name: 'byOrganization' });
/** Serves the relay, which takes waiting events in the order of their creation. */
outboxEventSchema.index({ relayedAt: 1, createdAt: 1 }, { name: 'waiting' });
/** An event that was handed over is kept for the operator; one that waits has no such time. */
outboxEventSchema.index({ relayedAt: 1 }, { name: 'expiry', expireAfterSeconds: keptSeconds });
