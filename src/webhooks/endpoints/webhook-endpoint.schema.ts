import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';
import type { Pace } from '../deliveries/delivery-outcome.js';

/** A secret that signs, encrypted. */
@Schema({ _id: false })
export class SealedSecret {
  @Prop({ type: String })
  sealed!: string;

  @Prop({ type: Date })
  createdAt!: Date;

  /** Until when a secret that was replaced still signs; null for the current one. */
  @Prop({ type: Date })
  expiresAt!: Date | null;
}

/** Why an endpoint is off: the operator, a 410 response, or five days without success. */
export type DisabledReason = 'operator' | 'gone' | 'failing' | 'removed';

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
  @Prop({ type: [SchemaFactory.createForClass(SealedSecret)] })
  secrets?: SealedSecret[];

  /** Since when every attempt has failed; null after a success. */
  @Prop({ type: Date })
  failingSince?: Date | null;

  /** The latest days (UTC, `2030-01-31`) with failures since then; those before it do not count. */
  @Prop({ type: [String], default: undefined })
  failingDays?: string[];

  /** How its last attempts went; only what is not known here is unproven. */
  @Prop({ type: String })
  pace?: Pace;

  /** Until when the receiver has asked for no more attempts. */
  @Prop({ type: Date })
  pausedUntil?: Date | null;

  /** Since when it is there only so that its deliveries can be looked up; it has no secrets then. */
  @Prop({ type: Date })
  removedAt?: Date | null;

  /** Which process gives up what waits for it while it is off, and until when it is the only one. */
  @Prop({ type: String })
  givingUpBy?: string | null;

  @Prop({ type: Date })
  givingUpUntil?: Date | null;

  /** When each replay began that has not come to its end, by what it replays. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  replays?: Readonly<Record<string, Date>>;
}

export const webhookEndpointSchema = SchemaFactory.createForClass(WebhookEndpointDocument);

/** Serves the relay and the list of an organization's endpoints. */
webhookEndpointSchema.index({ organizationId: 1, createdAt: 1 }, { name: 'byOrganization' });
/** They can be looked up as long as what was sent to them. */
removeAfter(
  webhookEndpointSchema,
  { removedAt: 1 },
  { kind: 'removed endpoints', setting: 'DELIVERIES_RETENTION_DAYS' },
);
