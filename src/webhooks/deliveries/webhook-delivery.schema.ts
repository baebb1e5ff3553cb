import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';
import type { DeliveryStatus, FailureReason } from './delivery-outcome.js';

/** One event on its way to one endpoint; only this service writes these documents. */
@Schema({ collection: 'webhookDeliveries' })
export class WebhookDeliveryDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  endpointId!: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  eventId!: Types.ObjectId;

  /** `webhook-id`, the same for all attempts and replays. */
  @Prop({ type: String, required: true })
  messageId!: string;

  @Prop({ type: String, required: true })
  type!: string;

  /** Id of the lead, client, unit or wallet that the event is about. */
  @Prop({ type: String })
  objectId!: string | null;

  /** What is sent, byte for byte the same at every attempt. */
  @Prop({ type: String, required: true })
  body!: string;

  @Prop({ type: String, required: true })
  status!: DeliveryStatus;

  @Prop({ type: String })
  failureReason!: FailureReason | null;

  /** 1, and one more with every replay. */
  @Prop({ type: Number, required: true })
  round!: number;

  /** Finished attempts of this round. */
  @Prop({ type: Number, required: true })
  attempts!: number;

  /** When it is due; while a worker attempts it, when its lease ends. */
  @Prop({ type: Date, required: true })
  nextAttemptAt!: Date;

  /** Who attempts it now; what they write counts only while this is their name. */
  @Prop({ type: String })
  leaseOwner!: string | null;

  @Prop({ type: Date })
  lastAttemptAt!: Date | null;

  @Prop({ type: Number })
  lastStatusCode!: number | null;

  @Prop({ type: String })
  lastError!: string | null;

  /** Which replay has put it back last, by the time at which that began. */
  @Prop({ type: Date })
  replayRun?: Date | null;

  /** When what it said of a person was removed; its attempts keep no responses then. */
  @Prop({ type: Date })
  erasedAt?: Date | null;

  /** When it was delivered or failed for good. */
  @Prop({ type: Date })
  completedAt!: Date | null;
}

export const webhookDeliverySchema = SchemaFactory.createForClass(WebhookDeliveryDocument);

/** There is one delivery of an event to an endpoint, however often the relay runs. */
webhookDeliverySchema.index(
  { organizationId: 1, eventId: 1, endpointId: 1 },
  { name: 'eventAtEndpoint', unique: true },
);
/** Serves the worker: which deliveries became due after a time. Finished ones are not in it. */
webhookDeliverySchema.index(
  { status: 1, nextAttemptAt: 1, endpointId: 1 },
  { name: 'due', partialFilterExpression: { status: 'pending' } },
);
/**
 * Serves the worker: which endpoints have something due, and what is due longest at one of them.
 * Finished deliveries are not in it, so that their number costs nothing.
 */
webhookDeliverySchema.index(
  { status: 1, endpointId: 1, nextAttemptAt: 1 },
  { name: 'queue', partialFilterExpression: { status: 'pending' } },
);
/** Serves the list of what an endpoint was sent, newest first, and replays of a time range. */
webhookDeliverySchema.index(
  { organizationId: 1, endpointId: 1, createdAt: -1, _id: -1 },
  { name: 'ofEndpoint' },
);
/** Serves the same for what has failed, which may be few among millions. */
webhookDeliverySchema.index(
  { organizationId: 1, endpointId: 1, createdAt: -1, _id: -1, status: 1 },
  { name: 'failedAtEndpoint', partialFilterExpression: { status: 'failed' } },
);
/** Serves the list of what an organization was sent, newest first. */
webhookDeliverySchema.index(
  { organizationId: 1, createdAt: -1, _id: -1 },
  { name: 'ofOrganization' },
);
/** Serves the history of one object. */
webhookDeliverySchema.index({ organizationId: 1, objectId: 1, createdAt: 1 }, { name: 'byObject' });
removeAfter(
  webhookDeliverySchema,
  { completedAt: 1 },
  { kind: 'finished deliveries', setting: 'DELIVERIES_RETENTION_DAYS' },
  { name: 'finishedExpiry', partialFilterExpression: { completedAt: { $type: 'date' } } },
);
