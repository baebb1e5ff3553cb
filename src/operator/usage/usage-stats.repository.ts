import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { AnyBulkWriteOperation, Model, Types } from 'mongoose';
import type { Counts } from './call-counts.js';
import { startOf } from './chart-intervals.js';
import type { UsageStatsDocument } from './usage-stats.schema.js';

export interface UsageIncrement extends Pick<UsageStatsDocument, 'span' | 'keyId'> {
  /** Any time of the span, in milliseconds since 1970. */
  readonly at: number;
  readonly retentionMs: number;
  /** Keyed by path, such as `logged.1`. */
  readonly counts: Counts;
}

export type StoredTotals = Counts & { readonly at: Date };
export type KeyCounts = Pick<UsageStatsDocument, 'at' | 'keys'>;
export type NamedCounts = Pick<UsageStatsDocument, 'keys' | 'routes'>;
export type StoredWeek = Pick<
  UsageStatsDocument,
  'at' | 'keyId' | 'callsByHour' | 'errorsByHour' | 'used'
>;

/** Decoding more at once would block the event loop. */
const quartersPerBatch = 10;
const weeksPerBatch = 100;

@Injectable()
export class UsageStatsRepository {
  constructor(@InjectModel('UsageStats') private readonly stats: Model<UsageStatsDocument>) {}

  async add(increments: readonly UsageIncrement[]): Promise<void> {
    const updates = increments.map((increment) => ({
      updateOne: { ...upsert(increment), upsert: true },
    })) as AnyBulkWriteOperation<UsageStatsDocument>[];
    await this.stats.bulkWrite(updates, { ordered: false, throwOnValidationError: true });
  }

  /** @returns the counts of logged requests by day before the increment */
  async addLogged(increment: UsageIncrement): Promise<UsageStatsDocument['logged']> {
    const { filter, update } = upsert(increment);
    const options = { upsert: true, returnDocument: 'before', projection: { logged: 1 } } as const;
    const before = await this.stats.findOneAndUpdate(filter, update, options).lean();
    return before?.logged;
  }

  async totals(span: 'quarter' | 'hour' | 'day', from: Date): Promise<StoredTotals[]> {
    const projection = { _id: 0, span: 0, keyId: 0, expiresAt: 0, keys: 0, routes: 0 };
    return this.stats.find({ span, at: { $gte: from } }, projection).lean<StoredTotals[]>();
  }

  namedCounts(from: Date): AsyncIterable<NamedCounts> {
    const filter = { span: 'quarter', at: { $gte: from } } as const;
    const projection = { _id: 0, keys: 1, routes: 1 };
    return this.stats.find(filter, projection).lean().cursor({ batchSize: quartersPerBatch });
  }

  async quarterHoursOfKey(keyId: string, from: Date): Promise<KeyCounts[]> {
    const filter = { span: 'quarter', at: { $gte: from } } as const;
    const projection = { _id: 0, at: 1, [`keys.${keyId}`]: 1 };
    return this.stats.find(filter, projection).lean<KeyCounts[]>();
  }

  weeks(from: number, keyId?: Types.ObjectId): AsyncIterable<StoredWeek> {
    const at = { $gte: new Date(startOf('week', from)) };
    const filter = { span: 'week', at, ...(keyId && { keyId }) } as const;
    const projection = { _id: 0, at: 1, keyId: 1, callsByHour: 1, errorsByHour: 1, used: 1 };
    return this.stats.find(filter, projection).lean().cursor({ batchSize: weeksPerBatch });
  }
}

function upsert({ span, at, keyId, retentionMs, counts: $inc }: UsageIncrement) {
  const begin = startOf(span, at);
  const $setOnInsert = { expiresAt: new Date(begin + retentionMs) };
  return { filter: { span, at: new Date(begin), keyId }, update: { $inc, $setOnInsert } };
}
