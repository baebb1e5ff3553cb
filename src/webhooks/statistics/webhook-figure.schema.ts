import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** What is counted of attempts; it adds up over processes and times. */
export interface AttemptFigures {
  readonly delivered: number;
  readonly failed: number;
  /** How long all of them took together. */
  readonly milliseconds: number;
}

/** How deliveries to an endpoint went in a quarter of an hour; only this service writes these documents. */
@Schema({ collection: 'webhookFigures' })
export class WebhookFigureDocument extends TenantDocument implements AttemptFigures {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  endpointId!: Types.ObjectId;

  /** When the quarter began. */
  @Prop({ type: Date, required: true })
  at!: Date;

  @Prop({ type: Number })
  delivered!: number;

  @Prop({ type: Number })
  failed!: number;

  @Prop({ type: Number })
  milliseconds!: number;

  /** Most deliveries that were seen waiting. */
  @Prop({ type: Number })
  backlog?: number;
}

export const webhookFigureSchema = SchemaFactory.createForClass(WebhookFigureDocument);

/** There is one for each quarter of an endpoint, to which all processes add; serves the curves, too. */
webhookFigureSchema.index(
  { organizationId: 1, endpointId: 1, at: 1 },
  { name: 'quarter', unique: true },
);
removeAfter(
  webhookFigureSchema,
  { at: 1 },
  { kind: 'webhook figures', setting: 'ATTEMPTS_RETENTION_DAYS' },
);
