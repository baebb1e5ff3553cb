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

/** Attempts to deliver webhooks. */
interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
}

interface MinuteStats extends CallSummary {
  readonly at: Date;
  readonly deliveries: DeliveryCounts;
}

/** The calls of a day. */
export interface DailyStats {
  /** One for each minute, oldest first, also without calls. */
  readonly minutes: readonly MinuteStats[];
  readonly total: CallSummary;
  readonly deliveries: DeliveryCounts;
  /** The most called first. */
  readonly routes: readonly (CallSummary & { readonly route: string })[];
  readonly keys: readonly (CallSummary & { readonly keyId: string | null })[];
}

/** Usage over time, by route and by key (rule OPS-32). */
@Injectable()
export class UsageStatsService {
  constructor(
    private readonly stats: UsageStatsRepository,
    private readonly clock: Clock,
  ) {}

  /** The last 24 hours up to now, from the beginning of an hour. */
  async lastDay(): Promise<DailyStats> {
    const now = this.clock.now().getTime();
    const from = now - (now % hourMs) - dayMs;
    const [found, quarters] = await Promise.all([
      this.stats.minutes(new Date(from)),
      this.stats.quarters(new Date(from)),
    ]);
    const byTime = new Map(found.map(({ at, ...counts }) => [at.getTime(), counts]));
    const total = sumOf(byTime.values());
    const minutes: MinuteStats[] = [];
    for (let time = from; time <= now; time += minuteMs) {
      const counts = byTime.get(time) ?? {};
      minutes.push({
        at: new Date(time),
        ...summaryOf(counts),
        deliveries: deliveriesOf(counts),
      });
    }
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

function deliveriesOf({ delivered = 0, undelivered = 0 }: Counts): DeliveryCounts {
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
