import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';
import type { CallbackEffects, CallbackOutcome } from './callback-decision.js';
import type { RefusedField } from './callback-record.js';

/** One authenticated callback and its outcome, for the operator (rule CALL-15). */
@Schema({ collection: 'reservationCallbacks' })
export class CallbackLogDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  apiKeyId!: Types.ObjectId;

  @Prop({ type: String })
  requestId!: string;

  /** In lower case; null when the body had none that is an ObjectId. */
  @Prop({ type: String })
  reservationId!: string | null;

  /** The known fields of the body that have valid values. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  payload!: Readonly<Record<string, unknown>>;

  @Prop({ type: [SchemaTypes.Mixed] })
  refusedFields!: readonly RefusedField[];

  /** How many fields the body had that no callback has. */
  @Prop({ type: Number })
  otherFields!: number;

  /** The messages are those of the error response. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  outcome!: Omit<CallbackOutcome, 'error'> & {
    readonly status: number;
    readonly errorCode: string | null;
    readonly messages: readonly string[];
    /** Absent where nothing was decided, and in entries of earlier versions. */
    readonly effects?: CallbackEffects;
  };
}

export const callbackLogSchema = SchemaFactory.createForClass(CallbackLogDocument);

/** Serves the callbacks of a reservation, newest first. */
callbackLogSchema.index(
  { organizationId: 1, reservationId: 1, createdAt: -1, _id: -1 },
  { name: 'ofReservation' },
);
/** Serves the search for what a request did. */
callbackLogSchema.index({ organizationId: 1, requestId: 1 }, { name: 'ofRequest' });
removeAfter(
  callbackLogSchema,
  { createdAt: 1 },
  { kind: 'callbacks', setting: 'CALLBACKS_RETENTION_DAYS' },
);
