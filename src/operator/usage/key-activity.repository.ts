import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { AnyBulkWriteOperation, Model, Types } from 'mongoose';
import type { KeyActivityDocument } from './key-activity.schema.js';

/** All documents fit into the first batch. */
const options = { batchSize: 10_000 };

@Injectable()
export class KeyActivityRepository {
  constructor(@InjectModel('KeyActivity') private readonly activity: Model<KeyActivityDocument>) {}

  /** Keeps later times, so that the order of processes and repeated writes have no effect. */
  async add(activities: readonly KeyActivityDocument[]): Promise<void> {
    const updates = activities.map(({ _id, since, operations = {}, feed }) => {
      const times = Object.entries(operations).map(
        ([name, time]) => [`operations.${name}`, time] as const,
      );
      const $max = { ...Object.fromEntries(times), ...(feed && { feed }) };
      const update = { $max, ...(since && { $min: { since } }) };
      return { updateOne: { filter: { _id }, update, upsert: true } };
    }) as AnyBulkWriteOperation<KeyActivityDocument>[];
    await this.activity.bulkWrite(updates, { ordered: false, throwOnValidationError: true });
  }

  async findByIds(keyIds: readonly Types.ObjectId[]): Promise<KeyActivityDocument[]> {
    return this.activity.find({ _id: { $in: [...keyIds] } }, null, options).lean();
  }

  async listAll(): Promise<KeyActivityDocument[]> {
    return this.activity.find({}, null, options).lean();
  }
}
