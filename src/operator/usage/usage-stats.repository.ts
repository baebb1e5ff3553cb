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
    const [first, ...others] = [...minutes].map(([time, $inc]) => ({
      key: { span: 'minute', at: new Date(time), keyId: null } as const,
      update: { $inc },
      expiresAt: time + minutesKeptMs,
    }));
    if (first === undefined) return;
    const named = { ...first, update: { ...first.update, $push: { batches: _id } } };
    const ofQuarters = quarters.flatMap((quarter) => this.updatesOf(quarter));
    const writes = [named, ...others, ...ofQuarters].map(upsert);
    await this.transactions.run(async () => {
      const options = openSession();
      const isStored = await this.stats.findOne({ ...first.key, batches: _id }, options);
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

  private updatesOf({ at, keys, routes }: UsageBatch['quarters'][number]) {
    const time = at.getTime();
    const names = [...routes].map(([route, counts]) => [encoded(route), counts] as const);
    const quarter = {
      key: { span: 'quarter', at, keyId: null } as const,
      update: { $inc: { ...increments('keys', keys), ...increments('routes', names) } },
      expiresAt: time + this.environment.USAGE_RETENTION_DAYS * dayMs,
    };
    const [week, hour] = [weekOf(time), `hours.${hourOfWeek(time)}`];
    const weeks = [...keys]
      .filter(([keyId]) => keyId !== 'none')
      .map(([keyId, { calls = 0, refused = 0, failed = 0 }]) => ({
        key: { span: 'week', at: new Date(week), keyId: new Types.ObjectId(keyId) } as const,
        update: { $inc: { [`${hour}.calls`]: calls, [`${hour}.errors`]: refused + failed } },
        expiresAt: week + weeksKeptMs,
      }));
    return [quarter, ...weeks];
  }
}

function upsert({
  key,
  update,
  expiresAt,
}: {
  readonly key: Key;
  readonly update: object;
  readonly expiresAt: number;
}): AnyBulkWriteOperation<UsageStatsDocument> {
  const $setOnInsert = { expiresAt: new Date(expiresAt) };
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
