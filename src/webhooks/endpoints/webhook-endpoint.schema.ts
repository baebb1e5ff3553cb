import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { addTtlIndex, TenantDocument } from '../../core/database/documents/tenant-document.js';
import { type SealedSecret, sealedSecretSchema } from '../../core/secrets/signing-secret.js';
import { eventRetention } from '../../events/outbox/outbox-event.schema.js';

export type DisabledReason = 'operator' | 'gone' | 'failing' | 'removed';

/** An endpoint is new until its recent responses show its class (rule HOOK-8). */
export type LatencyClass = 'fast' | 'new' | 'slow';

@Schema({ _id: false })
export class EndpointFailure {
  /** Start of the attempt. */
  @Prop({ type: Date })
  at!: Date;

  @Prop({ type: Number })
  statusCode!: number | null;

  @Prop({ type: String })
  error!: string | null;

  /** Number of the attempt in its round. */
  @Prop({ type: Number })
  attempt!: number;

  /** Readable start of the response, with emails and digits masked; an erasure removes it. */
  @Prop({ type: String })
  excerpt!: string | null;

  @Prop({ type: SchemaTypes.ObjectId })
  deliveryId!: Types.ObjectId;

  /** Finds the excerpts that an erasure removes. */
  @Prop({ type: String })
  objectId!: string | null;
}

/** Other programs may omit optional fields. */
@Schema({ collection: 'webhookEndpoints' })
export class WebhookEndpointDocument extends TenantDocument {
  @Prop({ type: String })
  url!: string;

  /** Subscriptions such as `*`, `lead.*` or `lead.created`. */
  @Prop({ type: [String] })
  eventTypes?: string[] | null;

  @Prop({ type: Boolean })
  isEnabled?: boolean;

  @Prop({ type: String })
  disabledReason?: string | null;

  /** Explains why an enabled endpoint gets no events; null or absent otherwise. */
  @Prop({ type: String })
  fault?: string | null;

  @Prop({ type: [sealedSecretSchema] })
  secrets?: SealedSecret[];

  @Prop({ type: Date })
  failingSince?: Date | null;

  /** Last days with failures since `failingSince`, such as `2030-01-31` (UTC). */
  @Prop({ type: [String], default: undefined })
  failingDays?: string[];

  /** Number of failed attempts since `failingSince`. */
  @Prop({ type: Number })
  failedAttempts?: number;

  /** Kept after later successes. */
  @Prop({ type: SchemaFactory.createForClass(EndpointFailure) })
  lastFailure?: EndpointFailure | null;

  @Prop({ type: Date })
  lastSuccessAt?: Date | null;

  @Prop({ type: String })
  latencyClass?: LatencyClass;

  /** Number of deliveries that a worker takes at a time; absent means 1. */
  @Prop({ type: Number })
  batchSize?: number;

  @Prop({ type: String })
  leaseOwner?: string | null;

  /** Set and compared by the database server, whose clock all workers share. */
  @Prop({ type: Date })
  leasedUntil?: Date | null;

  /** The receiver has asked for no attempts before this time. */
  @Prop({ type: Date })
  pausedUntil?: Date | null;

  /** Set for a removed endpoint, which has no secrets and is kept for lookups of its deliveries. */
  @Prop({ type: Date })
  removedAt?: Date | null;

  /** Start times of unfinished replays, by filter. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  replays?: Readonly<Record<string, Date>>;
}

export const webhookEndpointSchema = SchemaFactory.createForClass(WebhookEndpointDocument);

webhookEndpointSchema.index({ organizationId: 1, createdAt: 1 }, { name: 'byOrganization' });
addTtlIndex(
  webhookEndpointSchema,
  { removedAt: 1 },
  { kind: 'removed endpoints', ...eventRetention },
);
