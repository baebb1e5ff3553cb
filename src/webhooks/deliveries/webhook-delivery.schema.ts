import { Schema, type Types } from 'mongoose';
import type { TenantDocument } from '../../database/documents/tenant-document.js';
import type { DeliveryStatus, FailureReason } from './delivery-outcome.js';
import { keptSeconds } from '../outbox/outbox-event.schema.js';

/** A document of `webhookDeliveries`: one event on its way to one endpoint. */
export interface WebhookDeliveryDocument extends TenantDocument {
  endpointId: Types.ObjectId;
  eventId: Types.ObjectId;
  /** `webhook-id`, the same for all tries and replays. */
  messageId: string;
  type: string;
  /** Id of the lead, client, unit or wallet that the event is about. */
  objectId: string | null;
  /** What is sent, byte for byte the same at every try. */
  body: string;
  status: DeliveryStatus;
  failureReason: FailureReason | null;
  /** 1, and one more with every replay. */
  round: number;
  /** Finished tries of this round. */
  attempts: number;
  /** When it is due; while somebody tries it, when their lease ends. */
  nextAttemptAt: Date;
  /** Who tries it now; what they write counts only while this is their name. */
  leaseOwner: string | null;
  lastAttemptAt: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  /** When it was delivered or given up. */
  completedAt: Date | null;
}

/** Collection `webhookDeliveries`. */
export const webhookDeliverySchema = new Schema<WebhookDeliveryDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    endpointId: { type: Schema.Types.ObjectId, required: true },
    eventId: { type: Schema.Types.ObjectId, required: true },
    messageId: { type: String, required: true },
    type: { type: String, required: true },
    objectId: String,
    body: { type: String, required: true },
    status: { type: String, required: true },
    failureReason: String,
    round: { type: Number, required: true },
    attempts: { type: Number, required: true },
    nextAttemptAt: { type: Date, required: true },
    leaseOwner: String,
    lastAttemptAt: Date,
    lastStatusCode: Number,
    lastError: String,
    completedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'webhookDeliveries' },
);

/** An event is handed to an endpoint once, however often the relay runs. */
webhookDeliverySchema.index(
  { organizationId: 1, eventId: 1, endpointId: 1 },
  { name: 'eventAtEndpoint', unique: true },
);
/**
 * Serves the worker: which endpoints have something due, and what is due longest at one of them.
 * Finished deliveries are not in it, so that their number costs nothing.
 */
webhookDeliverySchema.index(
  { status: 1, endpointId: 1, nextAttemptAt: 1 },
  { name: 'queue', partialFilterExpression: { status: 'pending' } },
);
/** Serves the operator's list of what an endpoint was sent, newest first, and replays of a time. */
webhookDeliverySchema.index(
  { organizationId: 1, endpointId: 1, createdAt: -1 },
  { name: 'byEndpoint' },
);
/** Serves the operator's list of what an organization was sent, newest first. */
webhookDeliverySchema.index({ organizationId: 1, createdAt: -1 }, { name: 'byOrganization' });
/** Serves the history of one object. */
webhookDeliverySchema.index({ organizationId: 1, objectId: 1, createdAt: 1 }, { name: 'byObject' });
/** A finished delivery is kept for the operator; one that is not finished has no such time. */
webhookDeliverySchema.index(
  { completedAt: 1 },
  { name: 'expiry', expireAfterSeconds: keptSeconds },
);
