import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument, addTtlIndex } from '../../core/database/documents/tenant-document.js';
import type { CallbackOutcome, CallbackEffects } from './callback-decision.js';

export interface RefusedField {
  readonly field: string;
  readonly type: string;
  /** Number of characters, items or fields; null for any other value. */
  readonly length: number | null;
}

/** Contains no free text, and so no personal data (rule CALL-15). */
export interface CallbackRecord {
  readonly requestId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly refusedFields: readonly RefusedField[];
  readonly otherFields: number;
}

/** Shows the operator what a partner sent and what the callback did (rule CALL-15). */
@Schema({ collection: 'reservationCallbacks' })
export class CallbackLogDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  apiKeyId!: Types.ObjectId;

  @Prop({ type: String })
  requestId!: string;

  /** In lower case; null unless the body had an ObjectId. */
  @Prop({ type: String })
  reservationId!: string | null;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  payload!: CallbackRecord['payload'];

  @Prop({ type: [SchemaTypes.Mixed] })
  refusedFields!: readonly RefusedField[];

  @Prop({ type: Number })
  otherFields!: number;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  outcome!: Omit<CallbackOutcome, 'error'> & {
    readonly status: number;
    readonly errorCode: string | null;
    readonly messages: readonly string[];
    /** Absent if nothing was decided, and in entries of earlier versions. */
    readonly effects?: CallbackEffects;
  };
}

export const callbackLogSchema = SchemaFactory.createForClass(CallbackLogDocument);

callbackLogSchema.index(
  { organizationId: 1, reservationId: 1, createdAt: -1, _id: -1 },
  { name: 'ofReservation' },
);
callbackLogSchema.index({ organizationId: 1, requestId: 1 }, { name: 'ofRequest' });
addTtlIndex(
  callbackLogSchema,
  { createdAt: 1 },
  { kind: 'callbacks', setting: 'CALLBACKS_RETENTION_DAYS' },
);
