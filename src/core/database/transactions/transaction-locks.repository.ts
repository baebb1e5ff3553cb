import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type Model, SchemaTypes, type Types } from 'mongoose';
import { hash } from 'node:crypto';
import { openSession } from './open-session.js';

/** A document that contending transactions write, so that the database lets one of them win. */
@Schema({ collection: 'transactionLocks' })
export class TransactionLockDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  organizationId!: Types.ObjectId;

  /** Made of what is contended for, which cannot be found from it. */
  @Prop({ required: true })
  key!: string;

  @Prop({ type: Date, required: true })
  takenAt!: Date;

  @Prop({ type: Number })
  timesTaken?: number;
}

export const transactionLockSchema = SchemaFactory.createForClass(TransactionLockDocument);

transactionLockSchema.index({ organizationId: 1, key: 1 }, { name: 'lock', unique: true });
/** A lock means nothing once the transactions that contended for it are over. */
transactionLockSchema.index({ takenAt: 1 }, { name: 'expiry', expireAfterSeconds: 3_600 });

/**
 * Serializes transactions on rules that no index can state. Snapshot reads alone let two
 * transactions both find a phone number free and both take it.
 */
@Injectable()
export class TransactionLocksRepository {
  constructor(
    @InjectModel('TransactionLock') private readonly model: Model<TransactionLockDocument>,
  ) {}

  /**
   * Makes the open transaction conflict with every other one that takes one of the same keys: all
   * but one of them are retried and then see what the winner wrote.
   */
  async take(
    organizationId: Types.ObjectId,
    keys: readonly string[],
    takenAt: Date,
  ): Promise<void> {
    const operations = [...new Set(keys.map(lockOf))].toSorted().map((key) => ({
      updateOne: {
        filter: { organizationId, key },
        // Setting a time that is there already would be no write, and so no conflict.
        update: { $set: { takenAt }, $inc: { timesTaken: 1 } },
        upsert: true,
      },
    }));
    if (operations.length > 0) await this.model.collection.bulkWrite(operations, openSession());
  }
}

/**
 * The lock of a key, one of 16 million. Dozens of phones share each, so that none can be found from
 * it (rule LEAD-15); transactions about two of them wait for each other without need.
 */
function lockOf(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 6);
}
