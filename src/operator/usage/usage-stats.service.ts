import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { FindOptions } from 'mongodb';
import { type Model, Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { dayMs, hourMs } from '../../core/values/time.js';
import { type CallSummary, codesIn, type Counts, summaryOf, sumOf } from './call-counts.js';
import { startOf, stepsUntil, type TimeStep } from './time-steps.js';
import {
  baselineOf,
  baselineWindowMs,
  HourlyCallCounts,
  type TrafficBaseline,
} from './traffic-baseline.js';
import { type UsedOperations, usedOperations } from './key-counts.js';
import type { UsageStatsDocument } from './usage-stats.schema.js';

/** Few, because decoding them blocks the event loop. */
const quartersPerBatch = 10;

/** Errors by code are read from the quarters of at most so many days. */
const maxErrorCodeDays = 28;

interface TimedCounts {
  readonly at: Date;
  readonly counts: Counts;
}
type StoredWeek = Pick<UsageStatsDocument, 'at' | 'keyId' | 'hours' | 'used'>;

export interface KeyUsage extends TrafficBaseline {
  readonly used: UsedOperations;
}

export type StepStats = ReturnType<typeof seriesOf>[number];
export type ErrorStep = Awaited<ReturnType<UsageStatsService['errorsOfKey']>>[number];
export type DailyStats = Awaited<ReturnType<UsageStatsService['lastDay']>>;

@Injectable()
export class UsageStatsService {
  constructor(
    @InjectModel('UsageStats') private readonly stats: Model<UsageStatsDocument>,
    private readonly clock: Clock,
  ) {}

  async series(step: TimeStep): Promise<StepStats[]> {
    const times = stepsUntil(step, this.clock.now().getTime());
    const from = new Date(times[0] ?? 0);
    return seriesOf(step, times, await this.totals(step === 'week' ? 'day' : step, from));
  }

  /** Hours and longer steps reach as far back as the baseline. */
  async seriesOfKey(keyId: string, step: TimeStep): Promise<StepStats[]> {
    const times = stepsUntil(step, this.clock.now().getTime());
    const from = new Date(times[0] ?? 0);
    if (step === 'quarter') return seriesOf(step, times, await this.quartersOfKey(keyId, from));
    const weeks = await this.weeks(from.getTime(), new Types.ObjectId(keyId));
    const counted = weeks.flatMap(({ at, hours = {} }) =>
      Object.entries(hours).map(([hour, { calls, errors }]) => ({
        at: new Date(at.getTime() + Number(hour) * hourMs),
        counts: { calls, refused: errors },
      })),
    );
    return seriesOf(step, times, counted);
  }

  async lastDay() {
    const [first = 0] = stepsUntil('quarter', this.clock.now().getTime());
    const from = new Date(first);
    const [totals, quarters] = await Promise.all([
      this.totals('quarter', from),
      this.find<Pick<UsageStatsDocument, 'keys' | 'routes'>>(
        { span: 'quarter', at: { $gte: from } },
        { projection: { _id: 0, keys: 1, routes: 1 }, batchSize: quartersPerBatch },
      ),
    ]);
    const total = sumOf(totals.map(({ counts }) => counts));
    const routes = byName(quarters.map((quarter) => quarter.routes));
    const keys = byName(quarters.map((quarter) => quarter.keys));
    return {
      total: summaryOf(total),
      deliveries: deliveriesOf(total),
      routes: routes.map(([route, calls]) => ({ route: decodeURIComponent(route), ...calls })),
      keys: keys.map(([key, calls]) => ({ keyId: key === 'none' ? null : key, ...calls })),
    };
  }

  /** The most frequent code first. */
  async errorsOfKey(keyId: string, step: TimeStep) {
    const now = this.clock.now().getTime();
    const first = startOf(step, now - maxErrorCodeDays * dayMs);
    const times = stepsUntil(step, now).filter((time) => time >= first);
    const quarters = await this.quartersOfKey(keyId, new Date(times[0] ?? now));
    return countsOfSteps(step, times, quarters).map((counts, index) => ({
      at: new Date(times[index] ?? 0),
      codes: new Map(codesIn(counts)),
    }));
  }

  /** By key id; keys without calls in the last four weeks have none. */
  async baselines(ofKey?: Types.ObjectId): Promise<ReadonlyMap<string, KeyUsage>> {
    const now = this.clock.now().getTime();
    const weeks = await this.weeks(startOf('hour', now) - baselineWindowMs, ofKey);
    const baselines = new Map<string, KeyUsage>();
    for (const [keyId, ofOne] of Map.groupBy(weeks, (week) => String(week.keyId))) {
      const counts = new HourlyCallCounts(now);
      for (const { at, hours = {} } of ofOne) {
        const begin = at.getTime();
        for (const [hour, { calls, errors }] of Object.entries(hours))
          counts.add(begin + Number(hour) * hourMs, calls, errors);
      }
      if (!counts.calls.some((calls) => calls > 0)) continue;
      const used = usedOperations(ofOne.map((week) => week.used ?? {}));
      baselines.set(keyId, { ...baselineOf(counts), used });
    }
    return baselines;
  }

  private async totals(span: 'quarter' | 'hour' | 'day', from: Date): Promise<TimedCounts[]> {
    const projection = { _id: 0, span: 0, keyId: 0, expiresAt: 0, keys: 0, routes: 0 };
    const filter = { span, at: { $gte: from } };
    const found = await this.find<Counts & { readonly at: Date }>(filter, { projection });
    return found.map(({ at, ...counts }) => ({ at, counts }));
  }

  private async quartersOfKey(keyId: string, from: Date): Promise<TimedCounts[]> {
    const found = await this.find<Pick<UsageStatsDocument, 'at' | 'keys'>>(
      { span: 'quarter', at: { $gte: from } },
      { projection: { _id: 0, at: 1, [`keys.${keyId}`]: 1 } },
    );
    return found.map(({ at, keys }) => ({ at, counts: keys?.[keyId] ?? {} }));
  }

  private weeks(from: number, keyId?: Types.ObjectId): Promise<StoredWeek[]> {
    const at = { $gte: new Date(startOf('week', from)) };
    const projection = { _id: 0, at: 1, keyId: 1, hours: 1, used: 1 };
    return this.find<StoredWeek>({ span: 'week', at, ...(keyId && { keyId }) }, { projection });
  }

  private find<T extends object>(filter: object, options: FindOptions): Promise<T[]> {
    return this.stats.collection.find<T>(filter, options).toArray();
  }
}

function countsOfSteps(
  step: TimeStep,
  times: readonly number[],
  counted: readonly TimedCounts[],
): Counts[] {
  const byStep = Map.groupBy(counted, ({ at }) => startOf(step, at.getTime()));
  return times.map((time) => sumOf((byStep.get(time) ?? []).map(({ counts }) => counts)));
}

function seriesOf(step: TimeStep, times: readonly number[], counted: readonly TimedCounts[]) {
  const steps = countsOfSteps(step, times, counted);
  return times.map((time, index) => {
    const counts = steps[index] ?? {};
    return { at: new Date(time), ...summaryOf(counts), deliveries: deliveriesOf(counts) };
  });
}

function deliveriesOf({ delivered = 0, undelivered = 0 }: Counts) {
  return { delivered, failed: undelivered };
}

function byName(
  all: readonly (Readonly<Record<string, Counts>> | undefined)[],
): (readonly [string, CallSummary])[] {
  const entries = all.flatMap((one) => Object.entries(one ?? {}));
  return [...Map.groupBy(entries, ([name]) => name)]
    .map(([name, found]) => [name, summaryOf(sumOf(found.map(([, counts]) => counts)))] as const)
    .toSorted(([, a], [, b]) => b.calls - a.calls);
}
