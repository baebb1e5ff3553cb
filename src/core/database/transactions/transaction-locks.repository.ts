import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { openSession } from './open-session.js';
import type { TransactionLockDocument } from './transaction-lock.schema.js';

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
