import { Schema } from 'mongoose';
import type { TenantDocument } from '../../database/documents/tenant-document.js';

/** A secret that signs, sealed. */
export interface SealedSecret {
  sealed: string;
  createdAt: Date;
  /** Until when a secret that was replaced goes on signing; null for the current one. */
  expiresAt: Date | null;
}

/** Why an endpoint is off: the operator, an answer 410, or five days without success. */
export type DisabledReason = 'operator' | 'gone' | 'failing';

/** A document of `webhookEndpoints`; other programs may leave out what is optional. */
export interface WebhookEndpointDocument extends TenantDocument {
  url: string;
  /** `*`, `lead.*` or `lead.created`. */
  eventTypes?: string[];
  isEnabled?: boolean;
  disabledReason?: string | null;
  /** Newest first. */
  secrets?: SealedSecret[];
  /** Since when every try has failed; null after a success. */
  failingSince?: Date | null;
  /** Until when the receiver has asked to be left alone. */
  pausedUntil?: Date | null;
}

/** Collection `webhookEndpoints`. */
export const webhookEndpointSchema = new Schema<WebhookEndpointDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    url: String,
    eventTypes: [String],
    isEnabled: Boolean,
    disabledReason: String,
    secrets: [{ _id: false, sealed: String, createdAt: Date, expiresAt: Date }],
    failingSince: Date,
    pausedUntil: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'webhookEndpoints' },
);

/** Serves the fan-out and the operator's list of an organization's endpoints. */
webhookEndpointSchema.index({ organizationId: 1, createdAt: 1 }, { name: 'byOrganization' });
