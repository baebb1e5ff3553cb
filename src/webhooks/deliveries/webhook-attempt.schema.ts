import { Schema, type Types } from 'mongoose';
import type { TenantDocument } from '../../database/documents/tenant-document.js';
import { keptSeconds } from '../outbox/outbox-event.schema.js';

/** A document of `webhookAttempts`: one try to deliver, and what came of it. */
export interface WebhookAttemptDocument extends TenantDocument {
  endpointId: Types.ObjectId;
  deliveryId: Types.ObjectId;
  round: number;
  attempt: number;
  url: string;
  startedAt: Date;
  milliseconds: number;
  statusCode: number | null;
  /** The first 4 KiB of the answer's body. */
  response: string | null;
  error: string | null;
}

/** Collection `webhookAttempts`. */
export const webhookAttemptSchema = new Schema<WebhookAttemptDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    endpointId: { type: Schema.Types.ObjectId, required: true },
    deliveryId: { type: Schema.Types.ObjectId, required: true },
    round: Number,
    attempt: Number,
    url: String,
    startedAt: Date,
    milliseconds: Number,
    statusCode: Number,
    response: String,
    error: String,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'webhookAttempts' },
);

/** Serves the operator's look at all tries of a delivery, in their order. */
webhookAttemptSchema.index(
  { organizationId: 1, deliveryId: 1, startedAt: 1 },
  { name: 'byDelivery' },
);
/** The log is kept for 30 days. */
webhookAttemptSchema.index({ startedAt: 1 }, { name: 'expiry', expireAfterSeconds: keptSeconds });
