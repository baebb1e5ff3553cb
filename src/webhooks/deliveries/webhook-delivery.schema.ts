import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument, addTtlIndex } from '../../core/database/documents/tenant-document.js';
import { eventRetention } from '../../events/outbox/outbox-event.schema.js';

export type FailureReason =
  | 'exhausted'
  | 'gone'
  | 'endpoint disabled'
  | 'endpoint removed'
  | 'event expired'
  /** The sending command was stopped. */
  | 'interrupted';

@Schema({ _id: false })
export class DeliveryAttempt {
  @Prop({ type: Number })
  round!: number;

  @Prop({ type: Number })
  attempt!: number;

  @Prop({ type: String })
  url!: string;

  @Prop({ type: Date })
  startedAt!: Date;

  @Prop({ type: Number })
  milliseconds!: number;

  @Prop({ type: Number })
  statusCode!: number | null;

  /** Contains the first 4 KiB. */
  @Prop({ type: String })
  response!: string | null;

  /** Media type of the response without parameters. Earlier versions did not store it. */
  @Prop({ type: String })
  contentType?: string | null;

  /** The target of a redirect, which is not followed. Earlier versions did not store it. */
  @Prop({ type: String })
  redirectsTo?: string | null;

  /** Explains why there was no complete response. */
  @Prop({ type: String })
  error!: string | null;
}

export const maxLoggedAttempts = 50;

/** Only this service writes these documents. */
@Schema({ collection: 'webhookDeliveries' })
export class WebhookDeliveryDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  endpointId!: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  eventId!: Types.ObjectId;

  @Prop({ type: String, required: true })
  type!: string;

  /** Identifies the lead, client, unit or wallet of the event. */
  @Prop({ type: String })
  objectId!: string | null;

  @Prop({ type: Number, required: true })
  bytes!: number;

  /** Body of a test event, which is stored nowhere else. */
  @Prop({ type: String })
  body?: string | null;

  @Prop({ type: String, required: true })
  status!: 'pending' | 'delivered' | 'failed';

  @Prop({ type: String })
  failureReason!: FailureReason | null;

  /** Starts at 1; every replay adds 1. */
  @Prop({ type: Number, required: true })
  round!: number;

  /** Number of finished attempts in this round. */
  @Prop({ type: Number, required: true })
  attempts!: number;

  @Prop({ type: Date, required: true })
  nextAttemptAt!: Date;

  @Prop({ type: [SchemaFactory.createForClass(DeliveryAttempt)] })
  log!: DeliveryAttempt[];

  /** Start of the last replay that queued the delivery. */
  @Prop({ type: Date })
  replayRun?: Date | null;

  /** Set when personal data was removed; later attempts keep no responses. */
  @Prop({ type: Date })
  erasedAt?: Date | null;

  @Prop({ type: Date })
  completedAt!: Date | null;
}

export const webhookDeliverySchema = SchemaFactory.createForClass(WebhookDeliveryDocument);

webhookDeliverySchema.index(
  { organizationId: 1, eventId: 1, endpointId: 1 },
  { name: 'eventAtEndpoint', unique: true },
);
webhookDeliverySchema.index(
  { status: 1, nextAttemptAt: 1 },
  { name: 'due', partialFilterExpression: { status: 'pending' } },
);
webhookDeliverySchema.index(
  { status: 1, endpointId: 1, nextAttemptAt: 1 },
  { name: 'queue', partialFilterExpression: { status: 'pending' } },
);
/** Serves lists of an endpoint's deliveries, newest first, and replays of a time range. */
webhookDeliverySchema.index(
  { organizationId: 1, endpointId: 1, createdAt: -1, _id: -1 },
  { name: 'ofEndpoint' },
);
/** Serves lists of failed deliveries, which may be few among millions. */
webhookDeliverySchema.index(
  { organizationId: 1, endpointId: 1, createdAt: -1, _id: -1, status: 1 },
  { name: 'failedAtEndpoint', partialFilterExpression: { status: 'failed' } },
);
/** Serves the progress of replays; other deliveries are not in it. */
webhookDeliverySchema.index(
  { organizationId: 1, endpointId: 1, replayRun: 1, status: 1 },
  { name: 'replayed', partialFilterExpression: { replayRun: { $exists: true } } },
);
webhookDeliverySchema.index(
  { organizationId: 1, createdAt: -1, _id: -1 },
  { name: 'ofOrganization' },
);
webhookDeliverySchema.index({ organizationId: 1, objectId: 1, createdAt: 1 }, { name: 'byObject' });
addTtlIndex(webhookDeliverySchema, { createdAt: 1 }, { kind: 'deliveries', ...eventRetention });
