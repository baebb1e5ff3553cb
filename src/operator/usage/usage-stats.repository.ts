import { Inject, Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Collection, FindOptions } from 'mongodb';
import { type Model, Types } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { openSession } from '../../core/database/transactions/open-session.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { dayMs, weekMs } from '../../core/values/time.js';
import type { Counts } from './call-counts.js';
import { startOf } from './time-steps.js';
import { baselineWindowMs, hourOfWeek } from './traffic-baseline.js';
import { operationsIn } from './key-counts.js';
import type { QuarterCounts, UsageBatch } from './usage-counter.js';
import type { UsageStatsDocument } from './usage-stats.schema.js';

const weekRetentionMs = weekMs + baselineWindowMs + dayMs;
/** Few, because decoding them blocks the event loop. */
const quartersPerBatch = 10;

export interface TimedCounts {
  readonly at: Date;
  readonly counts: Counts;
}
export type StoredQuarter = Required<Pick<UsageStatsDocument, 'keys' | 'routes'>>;
export type StoredWeek = Pick<UsageStatsDocument, 'at' | 'hours' | 'used'> & {
  readonly keyId: Types.ObjectId;
};

@Injectable()
export class UsageStatsRepository {
  private readonly stats: Collection<UsageStatsDocument>;

  constructor(
    @InjectModel('UsageStats') { collection }: Model<UsageStatsDocument>,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly transactions: Transactions,
  ) {
    this.stats = collection as unknown as Collection<UsageStatsDocument>;
  }

  /** @param onceCommitted called when a commit was begun, also when its outcome is unknown */
  async add(batch: UsageBatch, onceCommitted: () => void): Promise<void> {
    const writes = batch.flatMap((quarter) => this.writesOf(quarter));
    let isToBeCommitted = false;
    try {
      await this.transactions.run(async () => {
        isToBeCommitted = false;
        await this.stats.bulkWrite(writes, { ordered: false, ...openSession() });
        isToBeCommitted = true;
      });
    } finally {
      if (isToBeCommitted) onceCommitted();
    }
  }

  async totals(span: 'quarter' | 'hour' | 'day', from: Date): Promise<TimedCounts[]> {
    const projection = { _id: 0, span: 0, keyId: 0, expiresAt: 0, keys: 0, routes: 0 };
    const found = await this.find<Counts & { readonly at: Date }>(
      { span, at: { $gte: from } },
      { projection },
    );
    return found.map(({ at, ...counts }) => ({ at, counts }));
  }

  async quarters(from: Date): Promise<StoredQuarter[]> {
    const options = { projection: { _id: 0, keys: 1, routes: 1 }, batchSize: quartersPerBatch };
    const found = await this.find<Partial<StoredQuarter>>(
      { span: 'quarter', at: { $gte: from } },
      options,
    );
    return found.map(({ keys = {}, routes = {} }) => ({
      keys,
      routes: Object.fromEntries(
        Object.entries(routes).map(([name, counts]) => [decodeURIComponent(name), counts]),
      ),
    }));
  }

  async quartersOfKey(keyId: string, from: Date): Promise<TimedCounts[]> {
    const projection = { _id: 0, at: 1, [`keys.${keyId}`]: 1 };
    const found = await this.find<{ at: Date; keys?: Record<string, Counts> }>(
      { span: 'quarter', at: { $gte: from } },
      { projection },
    );
    return found.map(({ at, keys }) => ({ at, counts: keys?.[keyId] ?? {} }));
  }

  async weeks(from: Date, keyId?: Types.ObjectId): Promise<StoredWeek[]> {
    const ofKey = keyId === undefined ? {} : { keyId };
    const projection = { _id: 0, at: 1, keyId: 1, hours: 1, used: 1 };
    return this.find<StoredWeek>({ span: 'week', at: { $gte: from }, ...ofKey }, { projection });
  }

  /** @returns how many requests were already logged today, without these */
  async countLogged(keyId: Types.ObjectId, now: Date, count: number): Promise<number> {
    const day = `logged.${now.getUTCDay()}`;
    const week = { span: 'week', at: now.getTime(), keyId } as const;
    const { filter, update } = upsert(week, weekRetentionMs, { [day]: count }).updateOne;
    const options = { upsert: true, returnDocument: 'before', projection: { logged: 1 } } as const;
    const before = await this.stats.findOneAndUpdate(filter, update, options);
    return before?.logged?.[now.getUTCDay()] ?? 0;
  }

  private async find<T extends object>(filter: object, options: FindOptions): Promise<T[]> {
    return this.stats.find<T>(filter, options).toArray();
  }

  private writesOf({ at, total, keys, routes }: QuarterCounts) {
    const retentionMs = this.environment.USAGE_RETENTION_DAYS * dayMs;
    const named = [...routes].map(([route, counts]) => [encoded(route), counts] as const);
    const names = { ...increments('keys', keys), ...increments('routes', named) };
    const hour = `hours.${hourOfWeek(at)}`;
    return [
      upsert({ span: 'quarter', at, keyId: null }, retentionMs, { ...total, ...names }),
      upsert({ span: 'hour', at, keyId: null }, retentionMs, total),
      upsert({ span: 'day', at, keyId: null }, retentionMs, total),
      ...[...keys]
        .filter(([id]) => id !== 'none')
        .map(([id, counts]) => {
          const { calls = 0, refused = 0, failed = 0 } = counts;
          const used = Object.entries(operationsIn(counts)).map(
            ([operation, count]) => [`used.${operation}`, count] as const,
          );
          const ofWeek = {
            [`${hour}.calls`]: calls,
            [`${hour}.errors`]: refused + failed,
            ...Object.fromEntries(used),
          };
          return upsert(
            { span: 'week', at, keyId: new Types.ObjectId(id) },
            weekRetentionMs,
            ofWeek,
          );
        }),
    ];
  }
}

function upsert(
  { span, at, keyId }: Pick<UsageStatsDocument, 'span' | 'keyId'> & Pick<QuarterCounts, 'at'>,
  retentionMs: number,
  $inc: Counts,
) {
  const begin = startOf(span, at);
  const $setOnInsert = { expiresAt: new Date(begin + retentionMs) };
  const filter = { span, at: new Date(begin), keyId };
  return { updateOne: { filter, update: { $inc, $setOnInsert }, upsert: true } };
}

function increments(field: string, all: Iterable<readonly [string, Counts]>): Counts {
  const paths: Counts = {};
  for (const [name, counts] of all) {
    for (const [count, value] of Object.entries(counts)) paths[`${field}.${name}.${count}`] = value;
  }
  return paths;
}

function encoded(route: string): string {
  return encodeURIComponent(route).replaceAll('.', '%2E');
}
