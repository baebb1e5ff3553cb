import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { dayMs, hourMs } from '../../core/values/time.js';
import {
  addCounts,
  type CallSummary,
  errorCodesIn,
  type Counts,
  summaryOf,
  sumOf,
} from './call-counts.js';
import { startOf, intervalStartsUntil, type ChartInterval } from './chart-intervals.js';
import {
  baselineOf,
  baselineWindowMs,
  HourlyCallCounts,
  type TrafficBaseline,
} from './traffic-baseline.js';
import { type UsedOperations, usedOperations } from './key-counts.js';
import { type StoredWeek, UsageStatsRepository } from './usage-stats.repository.js';

/** Limits how far back errors by code are read. */
const maxErrorCodeDays = 28;

interface TimedCounts {
  readonly at: Date;
  readonly counts: Counts;
}

export interface KeyUsage extends TrafficBaseline {
  readonly used: UsedOperations;
}

export type IntervalStats = ReturnType<typeof seriesOf>[number];
export type ErrorCounts = Awaited<ReturnType<UsageStatsService['errorsOfKey']>>[number];
export type DailyStats = Awaited<ReturnType<UsageStatsService['lastDay']>>;

@Injectable()
export class UsageStatsService {
  constructor(
    private readonly stats: UsageStatsRepository,
    private readonly clock: Clock,
  ) {}

  async series(span: ChartInterval): Promise<IntervalStats[]> {
    const times = intervalStartsUntil(span, this.clock.now().getTime());
    const from = new Date(times[0] ?? 0);
    return seriesOf(span, times, await this.totals(span === 'week' ? 'day' : span, from));
  }

  /** Series by hour or longer intervals reach only as far back as the traffic baseline. */
  async seriesOfKey(keyId: string, span: ChartInterval): Promise<IntervalStats[]> {
    const times = intervalStartsUntil(span, this.clock.now().getTime());
    const from = new Date(times[0] ?? 0);
    if (span === 'quarter') return seriesOf(span, times, await this.quarterHoursOfKey(keyId, from));
    const counted: TimedCounts[] = [];
    for await (const week of this.stats.weeks(from.getTime(), new Types.ObjectId(keyId))) {
      for (const { at, calls, errors } of hoursOf(week)) {
        counted.push({ at: new Date(at), counts: { calls, refused: errors } });
      }
    }
    return seriesOf(span, times, counted);
  }

  async lastDay() {
    const [first = 0] = intervalStartsUntil('quarter', this.clock.now().getTime());
    const from = new Date(first);
    const totals = await this.totals('quarter', from);
    const routes = new Map<string, Counts>();
    const keys = new Map<string, Counts>();
    for await (const quarter of this.stats.namedCounts(from)) {
      addByName(routes, quarter.routes);
      addByName(keys, quarter.keys);
    }
    const total = sumOf(totals.map(({ counts }) => counts));
    return {
      total: summaryOf(total),
      deliveries: deliveriesOf(total),
      routes: sortedSummaries(routes).map(([route, calls]) => ({
        route: decodeURIComponent(route),
        ...calls,
      })),
      keys: sortedSummaries(keys).map(([key, calls]) => ({
        keyId: key === 'none' ? null : key,
        ...calls,
      })),
    };
  }

  async errorsOfKey(keyId: string, span: ChartInterval) {
    const now = this.clock.now().getTime();
    const first = startOf(span, now - maxErrorCodeDays * dayMs);
    const times = intervalStartsUntil(span, now).filter((time) => time >= first);
    const quarters = await this.quarterHoursOfKey(keyId, new Date(times[0] ?? now));
    return countsOfIntervals(span, times, quarters).map((counts, index) => ({
      at: new Date(times[index] ?? 0),
      codes: new Map(errorCodesIn(counts)),
    }));
  }

  /** Keyed by key id; omits keys without calls in the last four weeks. */
  async baselines(onlyKeyId?: Types.ObjectId): Promise<ReadonlyMap<string, KeyUsage>> {
    const now = this.clock.now().getTime();
    const byKey = new Map<string, { counts: HourlyCallCounts; used: UsedOperations[] }>();
    // Weeks are added one by one: all weeks of 200 keys would take 50 MB.
    for await (const week of this.stats.weeks(startOf('hour', now) - baselineWindowMs, onlyKeyId)) {
      const keyId = String(week.keyId);
      const keyUsage = byKey.get(keyId) ?? { counts: new HourlyCallCounts(now), used: [] };
      byKey.set(keyId, keyUsage);
      keyUsage.used.push(week.used ?? {});
      for (const { at, calls, errors } of hoursOf(week)) keyUsage.counts.add(at, calls, errors);
    }
    const baselines = new Map<string, KeyUsage>();
    for (const [keyId, { counts, used }] of byKey) {
      if (!counts.calls.some((calls) => calls > 0)) continue;
      baselines.set(keyId, { ...baselineOf(counts), used: usedOperations(used) });
    }
    return baselines;
  }

  private async totals(span: 'quarter' | 'hour' | 'day', from: Date): Promise<TimedCounts[]> {
    const found = await this.stats.totals(span, from);
    return found.map(({ at, ...counts }) => ({ at, counts }));
  }

  private async quarterHoursOfKey(keyId: string, from: Date): Promise<TimedCounts[]> {
    const found = await this.stats.quarterHoursOfKey(keyId, from);
    return found.map(({ at, keys }) => ({ at, counts: keys?.[keyId] ?? {} }));
  }
}

function hoursOf({ at, callsByHour = {}, errorsByHour = {} }: StoredWeek) {
  const begin = at.getTime();
  return Object.entries(callsByHour).map(([hour, calls]) => ({
    at: begin + Number(hour) * hourMs,
    calls,
    errors: errorsByHour[hour] ?? 0,
  }));
}

function countsOfIntervals(
  span: ChartInterval,
  times: readonly number[],
  counted: readonly TimedCounts[],
): Counts[] {
  const bySpan = Map.groupBy(counted, ({ at }) => startOf(span, at.getTime()));
  return times.map((time) => sumOf((bySpan.get(time) ?? []).map(({ counts }) => counts)));
}

function seriesOf(span: ChartInterval, times: readonly number[], counted: readonly TimedCounts[]) {
  const sums = countsOfIntervals(span, times, counted);
  return times.map((time, index) => {
    const counts = sums[index] ?? {};
    return { at: new Date(time), ...summaryOf(counts), deliveries: deliveriesOf(counts) };
  });
}

function deliveriesOf({ delivered = 0, undelivered = 0 }: Counts) {
  return { delivered, failed: undelivered };
}

function addByName(sums: Map<string, Counts>, all: Readonly<Record<string, Counts>> = {}): void {
  for (const [name, counts] of Object.entries(all)) {
    const sum = sums.get(name) ?? {};
    addCounts(sum, counts);
    sums.set(name, sum);
  }
}

/** Returns the most calls first. */
function sortedSummaries(sums: ReadonlyMap<string, Counts>): (readonly [string, CallSummary])[] {
  return [...sums]
    .map(([name, counts]) => [name, summaryOf(counts)] as const)
    .toSorted(([, a], [, b]) => b.calls - a.calls);
}
