import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument, addTtlIndex } from '../../core/database/documents/tenant-document.js';
import { minuteMs } from '../../core/values/time.js';
import { eventRetention } from '../../events/outbox/outbox-event.schema.js';

const quarterHourMs = 15 * minuteMs;

export function startOfQuarterHour(time: Date): Date {
  return new Date(Math.floor(time.getTime() / quarterHourMs) * quarterHourMs);
}

/** All processes add to the counts of an endpoint in a quarter of an hour. */
@Schema({ collection: 'webhookStatistics', versionKey: false })
export class WebhookStatsDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  endpointId!: Types.ObjectId;

  @Prop({ type: Date, required: true })
  at!: Date;

  @Prop({ type: Number })
  delivered?: number;

  @Prop({ type: Number })
  failed?: number;
}

export const webhookStatsSchema = SchemaFactory.createForClass(WebhookStatsDocument);

webhookStatsSchema.index(
  { organizationId: 1, endpointId: 1, at: 1 },
  { name: 'quarter', unique: true },
);
addTtlIndex(webhookStatsSchema, { at: 1 }, { kind: 'webhook statistics', ...eventRetention });
