import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';
import { type SealedSecret, sealedSecretSchema } from '../../core/secrets/signing-secret.js';
import { eventRetention } from '../../events/outbox/outbox-event.schema.js';
import type { LatencyClass } from '../deliveries/delivery-outcome.js';

/** Why an endpoint is off: the operator, a 410 response, or five days without success. */
export type DisabledReason = 'operator' | 'gone' | 'failing' | 'removed';

/** The fault of an endpoint whose subscriptions another program has broken. */
export const typesFault = 'eventTypes is not a list';

/** Where an organization's events are sent; other programs may leave out what is optional. */
@Schema({ collection: 'webhookEndpoints' })
export class WebhookEndpointDocument extends TenantDocument {
  @Prop({ type: String })
  url!: string;

  /** `*`, `lead.*` or `lead.created`. */
  @Prop({ type: [String] })
  eventTypes?: string[] | null;

  @Prop({ type: Boolean })
  isEnabled?: boolean;

  @Prop({ type: String })
  disabledReason?: string | null;

  /** Why it gets no events although it is enabled; null or absent when it does. */
  @Prop({ type: String })
  fault?: string | null;

  /** Newest first. */
  @Prop({ type: [sealedSecretSchema] })
  secrets?: SealedSecret[];

  /** Since when every attempt has failed; null after a success. */
  @Prop({ type: Date })
  failingSince?: Date | null;

  /** The latest days (UTC, `2030-01-31`) with failures since then; those before it do not count. */
  @Prop({ type: [String], default: undefined })
  failingDays?: string[];

  /** How its last attempts went; without it the endpoint is new. */
  @Prop({ type: String })
  latencyClass?: LatencyClass;

  /** How many deliveries a worker takes at a time; 1 without it. */
  @Prop({ type: Number })
  batchSize?: number;

  /** Which worker delivers to it now. */
  @Prop({ type: String })
  leaseOwner?: string | null;

  /** When that ends unless the worker renews it, by the clock of the server. */
  @Prop({ type: Date })
  leasedUntil?: Date | null;

  /** Until when the receiver has asked for no more attempts. */
  @Prop({ type: Date })
  pausedUntil?: Date | null;

  /** Since when it is there only so that its deliveries can be looked up; it has no secrets then. */
  @Prop({ type: Date })
  removedAt?: Date | null;

  /** When each replay began that has not come to its end, by what it replays. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  replays?: Readonly<Record<string, Date>>;
}

export const webhookEndpointSchema = SchemaFactory.createForClass(WebhookEndpointDocument);

/** Serves the relay and the list of an organization's endpoints. */
webhookEndpointSchema.index({ organizationId: 1, createdAt: 1 }, { name: 'byOrganization' });
/** They can be looked up as long as their deliveries. */
removeAfter(
  webhookEndpointSchema,
  { removedAt: 1 },
  { kind: 'removed endpoints', ...eventRetention },
);
