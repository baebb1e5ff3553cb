import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { dayMs, hourMs, minuteMs } from '../../core/values/durations.js';
import {
  addCounts,
  type CallCounts,
  CallSums,
  callsOf,
  errorsOf,
  noCalls,
  quantileMs,
} from './call-counts.js';
import {
  CallFiguresRepository,
  type DeliveryCounts,
  type HourFigures,
  type TimeRange,
} from './call-figures.repository.js';
import { type Habit, habitOf, habitWindowMs, KeyHours, weekOf } from './habits.js';
import { MinuteSums } from './minute-sums.js';

/** What a part of the calls comes to. */
export interface CallSummary {
  readonly calls: number;
  /** Of these, with a status of 400 and above. */
  readonly errors: number;
  /** Of these, with a status of 500 and above. */
  readonly failures: number;
  /** In milliseconds; null without calls. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** The calls of a minute. */
export interface MinuteFigures extends CallSummary {
  readonly at: Date;
  readonly deliveries: DeliveryCounts;
}

/** The calls of a day. */
export interface DayFigures {
  /** Of the last whole day, one for each minute, oldest first; those without calls too. */
  readonly minutes: readonly MinuteFigures[];
  readonly total: CallSummary;
  readonly deliveries: DeliveryCounts;
  /** Those with most calls first. */
  readonly routes: readonly (CallSummary & { readonly route: string })[];
  readonly keys: readonly (CallSummary & { readonly keyId: string | null })[];
}

/** What the calls come to over time, by route and by key (rule OPS-32). */
@Injectable()
export class CallFiguresService {
  constructor(
    private readonly figures: CallFiguresRepository,
    private readonly clock: Clock,
  ) {}

  /** The last 24 hours up to now, from the beginning of an hour. */
  async lastDay(): Promise<DayFigures> {
    const now = this.clock.now().getTime();
    const from = beginOf(now, hourMs) - dayMs;
    const hours = await this.figures.hours({ from: new Date(from), before: new Date(now) });
    const [total, sums, minutes] = [noCalls(), new CallSums(), new MinuteSums()];
    for (const hour of hours) {
      addCounts(total, hour.total);
      for (const route of hour.routes) sums.addRoute(route);
      for (const key of hour.keys) sums.addKey(key);
      for (const minute of hour.minutes) minutes.add(minute);
    }
    for await (const minute of this.figures.minutes(notHeld(hours, from, now))) {
      addCounts(total, minute.total);
      for (const caller of minute.callers) sums.add(caller);
      minutes.add(minute);
    }
    return { total: summaryOf(total), ...chartOf(minutes, from, now), ...tablesOf(sums) };
  }

  /**
   * The habit of each key that has called in the last four weeks, by the id of the key.
   *
   * @param ofKey of this one only, where it has called
   */
  async habits(ofKey?: Types.ObjectId): Promise<ReadonlyMap<string, Habit>> {
    const now = this.clock.now().getTime();
    const current = beginOf(now, hourMs);
    const from = current - habitWindowMs;
    const keys = new Map<string, KeyHours>();
    const hoursOf = (keyId: string) => {
      const hours = keys.get(keyId) ?? new KeyHours(now);
      keys.set(keyId, hours);
      return hours;
    };
    // What no hour holds yet is some minutes; after a failure an hour or two.
    const recent = { from: new Date(current - 2 * hourMs), before: new Date(now) };
    const made = await this.figures.hoursMade(recent);
    for (const week of await this.figures.keyWeeks(new Date(weekOf(from)), ofKey)) {
      const begin = week.at.getTime();
      const hours = hoursOf(week.keyId);
      for (const [hour, calls] of Object.entries(week.calls)) {
        hours.add(begin + Number(hour) * hourMs, calls, week.errors[hour] ?? 0);
      }
    }
    const onlyKey = ofKey?.toHexString();
    const missing = notHeld(made, recent.from.getTime(), now);
    for await (const { at, callers } of this.figures.minutes(missing)) {
      for (const caller of callers) {
        if (caller.keyId === null || (onlyKey ?? caller.keyId) !== caller.keyId) continue;
        const hour = beginOf(at.getTime(), hourMs);
        hoursOf(caller.keyId).add(hour, callsOf(caller), errorsOf(caller));
      }
    }
    const used = [...keys].filter(([, hours]) => hours.calls.some((calls) => calls > 0));
    return new Map(used.map(([keyId, hours]) => [keyId, habitOf(hours)]));
  }
}

/** The times from one on to now whose minutes no hour holds. */
function notHeld(
  hours: readonly Pick<HourFigures, 'at' | 'until'>[],
  from: number,
  now: number,
): TimeRange[] {
  const heldTo = new Map(hours.map(({ at, until }) => [at.getTime(), until.getTime()]));
  const ranges: { from: number; before: number }[] = [];
  for (let hour = from; hour <= now; hour += hourMs) {
    const begin = heldTo.get(hour) ?? hour;
    const end = hour + hourMs;
    const latest = ranges.at(-1);
    if (begin >= end) continue;
    if (latest?.before === begin) latest.before = end;
    else ranges.push({ from: begin, before: end });
  }
  return ranges.map((range) => ({ from: new Date(range.from), before: new Date(range.before) }));
}

function chartOf(
  sums: MinuteSums,
  from: number,
  now: number,
): Pick<DayFigures, 'minutes' | 'deliveries'> {
  const minutes: MinuteFigures[] = [];
  const all = { delivered: 0, failed: 0 };
  for (let time = from; time <= now; time += minuteMs) {
    const { total, deliveries } = sums.of(time);
    all.delivered += deliveries.delivered;
    all.failed += deliveries.failed;
    minutes.push({ at: new Date(time), ...summaryOf(total), deliveries });
  }
  return { minutes, deliveries: all };
}

function tablesOf(sums: CallSums): Pick<DayFigures, 'routes' | 'keys'> {
  const { routes, keys } = sums.all();
  return {
    routes: routes
      .map(({ route, ...counts }) => ({ route, ...summaryOf(counts) }))
      .toSorted((a, b) => b.calls - a.calls),
    keys: keys
      .map(({ keyId, ...counts }) => ({ keyId, ...summaryOf(counts) }))
      .toSorted((a, b) => b.calls - a.calls),
  };
}

function summaryOf(counts: CallCounts): CallSummary {
  return {
    calls: callsOf(counts),
    errors: errorsOf(counts),
    failures: counts.statuses[4] ?? 0,
    medianMs: quantileMs(counts, 0.5),
    p95Ms: quantileMs(counts, 0.95),
  };
}

function beginOf(time: number, spanMs: number): number {
  return time - (time % spanMs);
}
