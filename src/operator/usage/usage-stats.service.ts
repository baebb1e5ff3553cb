import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { dayMs, hourMs, minuteMs } from '../../core/values/durations.js';
import { addCounts, type CallSummary, type Counts, summaryOf, sumOf } from './call-counts.js';
import {
  baselineOf,
  baselineWindowMs,
  HourlyCallCounts,
  type TrafficBaseline,
  weekOf,
} from './traffic-baseline.js';
import { UsageStatsRepository } from './usage-stats.repository.js';

/** The calls of a day: by minute, oldest first, also without calls; by route and by key, the most called first. */
export type DailyStats = Awaited<ReturnType<UsageStatsService['lastDay']>>;

/** Usage over time, by route and by key (rule OPS-32). */
@Injectable()
export class UsageStatsService {
  constructor(
    private readonly stats: UsageStatsRepository,
    private readonly clock: Clock,
  ) {}

  /** The last 24 hours up to now, from the beginning of an hour. */
  async lastDay() {
    const now = this.clock.now().getTime();
    const from = now - (now % hourMs) - dayMs;
    const [found, quarters] = await Promise.all([
      this.stats.minutes(new Date(from)),
      this.stats.quarters(new Date(from)),
    ]);
    const byTime = new Map(found.map(({ at, ...counts }) => [at.getTime(), counts]));
    const total = sumOf(byTime.values());
    const times = Array.from(
      { length: Math.floor((now - from) / minuteMs) + 1 },
      (_, minute) => from + minute * minuteMs,
    );
    const minutes = times.map((time) => {
      const counts = byTime.get(time) ?? {};
      return { at: new Date(time), ...summaryOf(counts), deliveries: deliveriesOf(counts) };
    });
    const routes = byName(quarters.map((quarter) => quarter.routes));
    const keys = byName(quarters.map((quarter) => quarter.keys));
    return {
      minutes,
      total: summaryOf(total),
      deliveries: deliveriesOf(total),
      routes: routes.map(([route, calls]) => ({ route, ...calls })),
      keys: keys.map(([key, calls]) => ({ keyId: key === 'none' ? null : key, ...calls })),
    };
  }

  /**
   * The baseline of each key that has called in the last four weeks, by the id of the key.
   *
   * @param ofKey of this one only, where it has called
   */
  async baselines(ofKey?: Types.ObjectId): Promise<ReadonlyMap<string, TrafficBaseline>> {
    const now = this.clock.now().getTime();
    const firstWeek = new Date(weekOf(now - (now % hourMs) - baselineWindowMs));
    const weeks = await this.stats.weeks(firstWeek, ofKey);
    const baselines = new Map<string, TrafficBaseline>();
    for (const [keyId, ofOne] of Map.groupBy(weeks, (week) => week.keyId.toHexString())) {
      const counts = new HourlyCallCounts(now);
      for (const { at, hours } of ofOne) {
        for (const [hour, { calls, errors }] of Object.entries(hours)) {
          counts.add(at.getTime() + Number(hour) * hourMs, calls, errors);
        }
      }
      if (counts.calls.some((calls) => calls > 0)) baselines.set(keyId, baselineOf(counts));
    }
    return baselines;
  }
}

function deliveriesOf({ delivered = 0, undelivered = 0 }: Counts) {
  return { delivered, failed: undelivered };
}

/** The sums of each name, the most called first. */
function byName(
  all: readonly Readonly<Record<string, Counts>>[],
): (readonly [string, CallSummary])[] {
  const sums = new Map<string, Counts>();
  for (const [name, counts] of all.flatMap((one) => Object.entries(one))) {
    const sum = sums.get(name) ?? {};
    addCounts(sum, counts);
    sums.set(name, sum);
  }
  return [...sums]
    .map(([name, counts]) => [name, summaryOf(counts)] as const)
    .toSorted(([, a], [, b]) => b.calls - a.calls);
}
