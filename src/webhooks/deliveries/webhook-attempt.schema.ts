import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** One attempt to deliver, and its result; only this service writes these documents. */
@Schema({ collection: 'webhookAttempts' })
export class WebhookAttemptDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  endpointId!: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  deliveryId!: Types.ObjectId;

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

  /** Null when there was no response. */
  @Prop({ type: Number })
  statusCode!: number | null;

  /** The first 4 KiB of the response's body. */
  @Prop({ type: String })
  response!: string | null;

  /** Why there was no response, or not all of it. */
  @Prop({ type: String })
  error!: string | null;
}

export const webhookAttemptSchema = SchemaFactory.createForClass(WebhookAttemptDocument);

/** Serves the list of all attempts of a delivery, in their order. */
webhookAttemptSchema.index(
  { organizationId: 1, deliveryId: 1, startedAt: 1 },
  { name: 'byDelivery' },
);
removeAfter(
  webhookAttemptSchema,
  { startedAt: 1 },
  { kind: 'attempts', setting: 'ATTEMPTS_RETENTION_DAYS' },
);
