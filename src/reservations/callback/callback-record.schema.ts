import { Schema, type Types } from 'mongoose';
import type { TenantDocument } from '../../database/documents/tenant-document.js';

/** What came of a callback. */
export interface CallbackOutcome {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Messages of a refusal. */
  readonly messages: readonly string[];
  readonly reservation: 'applied' | 'unchanged' | 'ignored';
  readonly cheque: 'applied' | 'skipped' | 'none';
}

/** A document of `reservationCallbacks`: one authenticated callback, for the operator. */
export interface CallbackRecordDocument extends TenantDocument {
  apiKeyId: Types.ObjectId;
  requestId: string;
  /** As sent; null when the body had none that is a text. */
  reservationId: string | null;
  payload: object;
  outcome: CallbackOutcome;
}

/** Collection `reservationCallbacks`. */
export const callbackRecordSchema = new Schema<CallbackRecordDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    apiKeyId: Schema.Types.ObjectId,
    requestId: String,
    reservationId: String,
    payload: { type: Schema.Types.Mixed, bsonType: 'object' },
    outcome: { type: Schema.Types.Mixed, bsonType: 'object' },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'reservationCallbacks' },
);

/** Serves the callbacks of a reservation, newest first. */
callbackRecordSchema.index(
  { organizationId: 1, reservationId: 1, createdAt: -1 },
  { name: 'ofReservation' },
);
/** Callbacks are kept for 90 days. */
callbackRecordSchema.index(
  { createdAt: 1 },
  { name: 'expiry', expireAfterSeconds: 90 * 24 * 60 * 60 },
);
