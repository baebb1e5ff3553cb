import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { AnyBulkWriteOperation, Model, PipelineStage, Types } from 'mongoose';
import { dayMs } from '../../core/values/time.js';
import { countFields, type Counts } from './call-counts.js';
import { type ChartRange, chartRanges } from './chart-ranges.js';
import type { UsageDocument } from './usage.schema.js';

export interface UsageIncrement extends Pick<UsageDocument, 'at' | 'apiKeyId' | 'route'> {
  readonly counts: Counts;
}

export type GroupedCounts<Id> = Counts & { readonly _id: Id };

/** All groups fit into the first batch, so that each method is one command. An abandoned query ends by itself. */
const options = { batchSize: 10_000, maxTimeMS: 5_000 };

const sums = Object.fromEntries(countFields.map((field) => [field, { $sum: `$${field}` }]));

@Injectable()
export class UsageRepository {
  constructor(@InjectModel('Usage') private readonly usage: Model<UsageDocument>) {}

  async add(increments: readonly UsageIncrement[]): Promise<void> {
    const updates = increments.map(({ at, apiKeyId, route, counts: $inc }) => ({
      updateOne: { filter: { at, apiKeyId, route }, update: { $inc }, upsert: true },
    })) as AnyBulkWriteOperation<UsageDocument>[];
    await this.usage.bulkWrite(updates, { ordered: false, throwOnValidationError: true });
  }

  /** Returns only steps with calls, in no certain order. */
  async countsByStep(
    range: ChartRange,
    from: Date,
    of: { readonly keyId?: Types.ObjectId | undefined; readonly route?: string | undefined },
  ): Promise<GroupedCounts<Date>[]> {
    const { unit, binSize } = chartRanges[range];
    const step = { $dateTrunc: { date: '$at', unit, binSize } };
    const $match = { ...since(from, of.keyId), ...(of.route !== undefined && { route: of.route }) };
    return this.usage.aggregate([{ $match }, { $group: { _id: step, ...sums } }], options);
  }

  async countsByRoute(from: Date, apiKeyId?: Types.ObjectId): Promise<GroupedCounts<string>[]> {
    return this.usage.aggregate(
      [{ $match: since(from, apiKeyId) }, { $group: { _id: '$route', ...sums } }],
      options,
    );
  }

  async countsByKey(
    from: Date,
    keyIds?: readonly Types.ObjectId[],
  ): Promise<GroupedCounts<Types.ObjectId | null>[]> {
    const $match = { ...(keyIds && { apiKeyId: { $in: keyIds } }), at: { $gte: from } };
    return this.usage.aggregate([{ $match }, { $group: { _id: '$apiKeyId', ...sums } }], options);
  }

  /** Counts the periods of 24 hours before `now` that have calls. */
  async activeDays(
    keyIds: readonly Types.ObjectId[],
    from: Date,
    now: Date,
  ): Promise<{ readonly _id: Types.ObjectId; readonly days: number }[]> {
    const day = { $floor: { $divide: [{ $subtract: [now, '$at'] }, dayMs] } };
    const steps: PipelineStage[] = [
      { $match: { apiKeyId: { $in: keyIds }, at: { $gt: from } } },
      { $group: { _id: { key: '$apiKeyId', day } } },
      { $group: { _id: '$_id.key', days: { $sum: 1 } } },
    ];
    return this.usage.aggregate(steps, options);
  }

  /** Returns counts by field of `codes`. */
  async codesOfKey(
    apiKeyId: Types.ObjectId,
    from: Date,
  ): Promise<{ readonly _id: string; readonly count: number }[]> {
    const steps: PipelineStage[] = [
      { $match: since(from, apiKeyId) },
      { $project: { codes: { $objectToArray: '$codes' } } },
      { $unwind: '$codes' },
      { $group: { _id: '$codes.k', count: { $sum: '$codes.v' } } },
    ];
    return this.usage.aggregate(steps, options);
  }
}

function since(from: Date, apiKeyId?: Types.ObjectId) {
  return { ...(apiKeyId && { apiKeyId }), at: { $gte: from } };
}
