import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';
import { removeAfter } from '../../core/database/structure/retention.js';
import { minuteMs } from '../../core/values/durations.js';
import { eventRetention } from '../../events/outbox/outbox-event.schema.js';

const quarterMs = 15 * minuteMs;

/** When the quarter of an hour that counts a time began. */
export function startOfQuarter(time: Date): Date {
  return new Date(Math.floor(time.getTime() / quarterMs) * quarterMs);
}

/** The deliveries to an endpoint in a quarter of an hour; only this service writes these documents. */
@Schema({ collection: 'webhookStatistics' })
export class WebhookStatisticsDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  endpointId!: Types.ObjectId;

  /** When the quarter began. */
  @Prop({ type: Date, required: true })
  at!: Date;

  @Prop({ type: Number })
  delivered?: number;

  @Prop({ type: Number })
  failed?: number;

  /** How long all attempts took together. */
  @Prop({ type: Number })
  milliseconds?: number;

  /** Most deliveries that were seen waiting. */
  @Prop({ type: Number })
  backlog?: number;
}

export const webhookStatisticsSchema = SchemaFactory.createForClass(WebhookStatisticsDocument);

/** There is one for each quarter of an endpoint, to which all processes add; serves the curves, too. */
webhookStatisticsSchema.index(
  { organizationId: 1, endpointId: 1, at: 1 },
  { name: 'quarter', unique: true },
);
removeAfter(webhookStatisticsSchema, { at: 1 }, { kind: 'webhook statistics', ...eventRetention });
