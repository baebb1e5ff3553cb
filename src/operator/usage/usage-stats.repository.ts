import { Inject, Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { AnyBulkWriteOperation, Collection, FindOptions } from 'mongodb';
import { type Model, Types } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { openSession } from '../../core/database/transactions/open-session.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { dayMs, weekMs } from '../../core/values/durations.js';
import type { Counts } from './call-counts.js';
import { baselineWindowMs, hourOfWeek, weekOf } from './traffic-baseline.js';
import type { UsageBatch } from './usage-counter.js';
import type { UsageStatsDocument } from './usage-stats.schema.js';

const minutesKeptMs = 2 * dayMs;
const weeksKeptMs = weekMs + baselineWindowMs + dayMs;
/** So many quarters are decoded at once: nothing else runs meanwhile. */
const quartersInBatch = 10;

/** A document, as it is named by its index. */
type Key = Pick<UsageStatsDocument, 'span' | 'at' | 'keyId'>;
export type StoredMinute = Counts & { readonly at: Date };
export type StoredQuarter = Required<Pick<UsageStatsDocument, 'keys' | 'routes'>>;
export type StoredWeek = Required<Pick<UsageStatsDocument, 'at' | 'hours'>> & {
  readonly keyId: Types.ObjectId;
};

/** The queries on `usageStats`. */
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

  /**
   * Adds what a process has counted to what all have. The first minute of a batch names it, in the same
   * transaction: a batch whose outcome is unknown is repeated until it is stored, and counts once.
   */
  async add({ _id, minutes, quarters }: UsageBatch): Promise<void> {
    const [first] = minutes.keys();
    if (first === undefined) return;
    const writes = [
      ...[...minutes].map(([time, $inc]) => {
        const named = time === first ? { $push: { batches: _id } } : {};
        return upsert(minuteKey(time), minutesKeptMs, { $inc, ...named });
      }),
      ...quarters.flatMap((quarter) => this.writesOf(quarter)),
    ];
    await this.transactions.run(async () => {
      const options = openSession();
      const isStored = await this.stats.findOne({ ...minuteKey(first), batches: _id }, options);
      if (isStored === null) await this.stats.bulkWrite(writes, { ordered: false, ...options });
    });
  }

  /** The minutes from a time on that have calls or deliveries. */
  async minutes(from: Date): Promise<StoredMinute[]> {
    return this.find<StoredMinute>({ span: 'minute', at: { $gte: from } });
  }

  /** The quarters from a time on that have calls. */
  async quarters(from: Date): Promise<StoredQuarter[]> {
    const filter = { span: 'quarter', at: { $gte: from } };
    const found = await this.find<StoredQuarter>(filter, { batchSize: quartersInBatch });
    return found.map(({ keys, routes }) => ({
      keys,
      routes: Object.fromEntries(
        Object.entries(routes).map(([name, counts]) => [decodeURIComponent(name), counts]),
      ),
    }));
  }

  /** The weeks that begin from a time on, of all keys or of one. */
  async weeks(from: Date, keyId?: Types.ObjectId): Promise<StoredWeek[]> {
    const ofKey = keyId === undefined ? {} : { keyId };
    return this.find<StoredWeek>({ span: 'week', at: { $gte: from }, ...ofKey });
  }

  private async find<T extends object>(filter: object, options: FindOptions = {}): Promise<T[]> {
    const projection = { _id: 0, span: 0, batches: 0, expiresAt: 0 };
    return this.stats.find<T>(filter, { projection, ...options }).toArray();
  }

  private writesOf({ at, keys, routes }: UsageBatch['quarters'][number]) {
    const names = [...routes].map(([route, counts]) => [encoded(route), counts] as const);
    const $inc = { ...increments('keys', keys), ...increments('routes', names) };
    const keptMs = this.environment.USAGE_RETENTION_DAYS * dayMs;
    const week = new Date(weekOf(at.getTime()));
    const hour = `hours.${hourOfWeek(at.getTime())}`;
    const weeks = [...keys]
      .filter(([id]) => id !== 'none')
      .map(([id, { calls = 0, refused = 0, failed = 0 }]) => {
        const ofHour = { [`${hour}.calls`]: calls, [`${hour}.errors`]: refused + failed };
        const key = { span: 'week', at: week, keyId: new Types.ObjectId(id) } as const;
        return upsert(key, weeksKeptMs, { $inc: ofHour });
      });
    return [upsert({ span: 'quarter', at, keyId: null }, keptMs, { $inc }), ...weeks];
  }
}

function minuteKey(time: number) {
  return { span: 'minute', at: new Date(time), keyId: null } as const;
}

/** Adds to a document, which is made where there is none, to be kept so long from its time on. */
function upsert(
  key: Key,
  keptMs: number,
  update: object,
): AnyBulkWriteOperation<UsageStatsDocument> {
  const $setOnInsert = { expiresAt: new Date(key.at.getTime() + keptMs) };
  return { updateOne: { filter: key, update: { ...update, $setOnInsert }, upsert: true } };
}

/** The numbers of each name, by the path of their field. */
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
