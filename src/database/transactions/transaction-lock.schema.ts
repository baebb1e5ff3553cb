import { Schema, type Types } from 'mongoose';

/** A document that contending transactions write, so that the database lets one of them win. */
export interface TransactionLockDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  key: string;
  takenAt: Date;
}

/** Collection `transactionLocks`. */
export const transactionLockSchema = new Schema<TransactionLockDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    key: { type: String, required: true },
    takenAt: { type: Date, required: true },
  },
  { collection: 'transactionLocks' },
);

/** One document per contended key. */
transactionLockSchema.index({ organizationId: 1, key: 1 }, { name: 'lock', unique: true });
/** A lock means nothing once the transactions that contended for it are over. */
transactionLockSchema.index({ takenAt: 1 }, { name: 'expiry', expireAfterSeconds: 3_600 });
