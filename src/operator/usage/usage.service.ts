import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { weekMs } from '../../core/values/time.js';
import { type CallSummary, codeOf, summaryOf } from './call-counts.js';
import { type ChartRange, quarterHourMs, startOfStep, stepsUntil } from './chart-ranges.js';
import { UsageRepository } from './usage.repository.js';

export type UsagePoint = CallSummary & { readonly at: Date };
export type RouteUsage = CallSummary & { readonly route: string };
/** Null counts calls without a valid key. */
export type KeyCalls = CallSummary & { readonly keyId: string | null };

/** Each method is one command of the database; counts begin with the quarter of an hour that contains `since`. */
@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns the start of a chart, so that lists can count the same calls. */
  startOf(range: ChartRange): Date {
    const [first] = stepsUntil(range, this.clock.now().getTime());
    return new Date(first ?? 0);
  }

  /** Returns every step up to now, also without calls, of all calls or of those of a key or a route. */
  async series(
    range: ChartRange,
    of: { readonly keyId?: Types.ObjectId | undefined; readonly route?: string | undefined } = {},
  ): Promise<UsagePoint[]> {
    const steps = stepsUntil(range, this.clock.now().getTime());
    const counted = await this.usage.countsByStep(range, new Date(steps[0] ?? 0), of);
    const byStep = new Map(counted.map(({ _id, ...counts }) => [_id.getTime(), counts]));
    return steps.map((time) => ({ at: new Date(time), ...summaryOf(byStep.get(time) ?? {}) }));
  }

  /** Returns the most calls first. */
  async routes(since: Date, keyId?: Types.ObjectId): Promise<RouteUsage[]> {
    const counted = await this.usage.countsByRoute(startOfQuarterHour(since), keyId);
    return mostCallsFirst(
      counted.map(({ _id, ...counts }) => ({ route: _id, ...summaryOf(counts) })),
    );
  }

  /** Returns the most calls first. */
  async keys(since: Date, keyIds?: readonly Types.ObjectId[]): Promise<KeyCalls[]> {
    const counted = await this.usage.countsByKey(startOfQuarterHour(since), keyIds);
    const keys = counted.map(({ _id, ...counts }) => ({
      keyId: _id?.toHexString() ?? null,
      ...summaryOf(counts),
    }));
    return mostCallsFirst(keys);
  }

  /** Of the last seven periods of 24 hours, counts those with a call by key id; omits keys without calls. */
  async activeDays(keyIds: readonly Types.ObjectId[]): Promise<ReadonlyMap<string, number>> {
    if (keyIds.length === 0) return new Map();
    const now = this.clock.now();
    const from = new Date(now.getTime() - weekMs);
    const counted = await this.usage.activeDays(keyIds, from, now);
    return new Map(counted.map(({ _id, days }) => [_id.toHexString(), days]));
  }

  /** Returns complete counts by error code, notice and `fields.ignored` (rule OPS-36). */
  async codes(keyId: Types.ObjectId, since: Date): Promise<Map<string, number>> {
    const counted = await this.usage.codesOfKey(keyId, startOfQuarterHour(since));
    return new Map(counted.map(({ _id, count }) => [codeOf(_id), count]));
  }
}

function startOfQuarterHour(time: Date): Date {
  return new Date(startOfStep(quarterHourMs, time.getTime()));
}

function mostCallsFirst<Row extends CallSummary>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => b.calls - a.calls);
}
