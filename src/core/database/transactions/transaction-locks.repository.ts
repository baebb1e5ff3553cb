import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type Model, SchemaTypes, type Types } from 'mongoose';
import { hash } from 'node:crypto';
import { openSession } from './open-session.js';

@Schema({ collection: 'transactionLocks' })
export class TransactionLockDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  organizationId!: Types.ObjectId;

  /** A short hash: it does not reveal the phone or email. */
  @Prop({ type: String, required: true })
  key!: string;

  @Prop({ type: Date, required: true })
  takenAt!: Date;

  @Prop({ type: Number })
  timesTaken?: number;
}

export const transactionLockSchema = SchemaFactory.createForClass(TransactionLockDocument);

transactionLockSchema.index({ organizationId: 1, key: 1 }, { name: 'lock', unique: true });
transactionLockSchema.index({ takenAt: 1 }, { name: 'expiry', expireAfterSeconds: 3_600 });

/** Snapshot reads alone let two transactions both find a phone number free and both take it. */
@Injectable()
export class TransactionLocksRepository {
  constructor(
    @InjectModel('TransactionLock') private readonly model: Model<TransactionLockDocument>,
  ) {}

  /** Of open transactions that take the same key one commits; the others are retried and see its writes. */
  async take(
    organizationId: Types.ObjectId,
    keys: readonly string[],
    takenAt: Date,
  ): Promise<void> {
    const operations = [...new Set(keys.map(lockOf))].toSorted().map((key) => ({
      updateOne: {
        filter: { organizationId, key },
        // The same time alone would be no write and no conflict.
        update: { $set: { takenAt }, $inc: { timesTaken: 1 } },
        upsert: true,
      },
    }));
    if (operations.length > 0) await this.model.collection.bulkWrite(operations, openSession());
  }
}

/** Dozens of phones share each of 16 million locks, so that none can be found from it (rule LEAD-15). */
function lockOf(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 6);
}
