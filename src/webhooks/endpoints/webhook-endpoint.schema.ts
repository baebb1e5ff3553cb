import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { expireAfter, TenantDocument } from '../../core/database/documents/tenant-document.js';
import { type SealedSecret, sealedSecretSchema } from '../../core/secrets/signing-secret.js';
import { eventRetention } from '../../events/outbox/outbox-event.schema.js';

export type DisabledReason = 'operator' | 'gone' | 'failing' | 'removed';

/** How an endpoint has responded lately; an endpoint is new until that is clear (rule HOOK-8). */
export type LatencyClass = 'fast' | 'new' | 'slow';

/** Where an organization's events are sent; other programs may omit optional fields. */
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

  @Prop({ type: [sealedSecretSchema] })
  secrets?: SealedSecret[];

  @Prop({ type: Date })
  failingSince?: Date | null;

  /** The last days (UTC, `2030-01-31`) with failures since then. */
  @Prop({ type: [String], default: undefined })
  failingDays?: string[];

  @Prop({ type: String })
  latencyClass?: LatencyClass;

  /** How many deliveries a worker takes at a time; 1 without it. */
  @Prop({ type: Number })
  batchSize?: number;

  @Prop({ type: String })
  leaseOwner?: string | null;

  /** By the clock of the server. */
  @Prop({ type: Date })
  leasedUntil?: Date | null;

  /** The receiver has asked for no attempts until then. */
  @Prop({ type: Date })
  pausedUntil?: Date | null;

  /** A removed endpoint has no secrets; it is kept so that its deliveries can be looked up. */
  @Prop({ type: Date })
  removedAt?: Date | null;

  /** Starts of unfinished replays, by what they replay. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  replays?: Readonly<Record<string, Date>>;
}

export const webhookEndpointSchema = SchemaFactory.createForClass(WebhookEndpointDocument);

webhookEndpointSchema.index({ organizationId: 1, createdAt: 1 }, { name: 'byOrganization' });
expireAfter(
  webhookEndpointSchema,
  { removedAt: 1 },
  { kind: 'removed endpoints', ...eventRetention },
);
