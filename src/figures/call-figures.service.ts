import { Injectable } from '@nestjs/common';
import { Clock } from '../configuration/clock.js';
import {
  addCounts,
  type CallCounts,
  type CallerCounts,
  CallTable,
  callsOf,
  errorsOf,
  noCalls,
  quantileMs,
} from './call-counts.js';
import { minuteMs } from './call-counter.js';
import {
  CallFiguresRepository,
  type DeliveryCounts,
  type Figures,
} from './call-figures.repository.js';
import { type Habit, habitOf, type HourOfKey } from './habits.js';

export const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** What a habit is learnt from. */
const habitDays = 28;
/** What one hour may hold of different callers. */
export const callersOfHourLimit = 1_000;

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
    const [minutes, parts] = await Promise.all([
      this.minutesSince(from, now),
      this.since(from, now),
    ]);
    const deliveries = { delivered: 0, failed: 0 };
    for (const { deliveries: counted } of minutes) {
      deliveries.delivered += counted.delivered;
      deliveries.failed += counted.failed;
    }
    return { minutes, deliveries, ...summed(parts) };
  }

  /** The habit of each key that has called in the last four weeks, by the id of the key. */
  async habits(): Promise<ReadonlyMap<string, Habit>> {
    const now = this.clock.now();
    const from = beginOf(now.getTime(), hourMs) - habitDays * dayMs;
    const stored = await this.figures.keyHours(new Date(from));
    const hours = new Map<string, HourOfKey[]>();
    const add = (keyId: string, hour: HourOfKey) => {
      const known = hours.get(keyId);
      if (known === undefined) hours.set(keyId, [hour]);
      else known.push(hour);
    };
    for (const { at, keys } of stored) {
      for (const { keyId, calls, errors } of keys) add(keyId, { at: at.getTime(), calls, errors });
    }
    const rolledUpTo = (stored.at(-1)?.at.getTime() ?? from - hourMs) + hourMs;
    // What no hour holds yet is an hour or two.
    const rest = Math.max(rolledUpTo, beginOf(now.getTime(), hourMs) - 2 * hourMs);
    for await (const { at, callers } of this.figures.minutes(new Date(rest), now)) {
      for (const caller of callers) {
        if (caller.keyId === null) continue;
        const hour = beginOf(at.getTime(), hourMs);
        add(caller.keyId, { at: hour, calls: callsOf(caller), errors: errorsOf(caller) });
      }
    }
    return new Map([...hours].map(([keyId, of]) => [keyId, habitOf(of, now.getTime())]));
  }

  private async minutesSince(from: number, now: number): Promise<MinuteFigures[]> {
    const stored = await this.figures.minuteTotals(new Date(from));
    const minutes = new Map<number, { total: CallCounts; delivered: number; failed: number }>();
    for (let time = from; time <= now; time += minuteMs) {
      minutes.set(time, { total: noCalls(), delivered: 0, failed: 0 });
    }
    for (const { at, total, deliveries } of stored) {
      const minute = minutes.get(at.getTime());
      if (minute === undefined) continue;
      addCounts(minute.total, total);
      minute.delivered += deliveries.delivered;
      minute.failed += deliveries.failed;
    }
    return [...minutes].map(([time, { total, ...deliveries }]) => ({
      at: new Date(time),
      ...summaryOf(total),
      deliveries,
    }));
  }

  /** What the hours hold, and the minutes that no hour holds yet. */
  private async since(from: number, now: number): Promise<Pick<Figures, 'callers'>[]> {
    const hours = await this.figures.hours(new Date(from), new Date(now));
    const held = new Set(hours.map(({ at }) => at.getTime()));
    const parts: Pick<Figures, 'callers'>[] = [...hours];
    // Hours in a row without an hour's document are read at once.
    let start: number | null = null;
    for (let hour = from; hour <= now; hour += hourMs) {
      const isLast = hour + hourMs > now;
      if (!held.has(hour)) start ??= hour;
      if (start === null || (!held.has(hour) && !isLast)) continue;
      const end = held.has(hour) ? hour : hour + hourMs;
      for await (const part of this.figures.minutes(new Date(start), new Date(end))) {
        parts.push(part);
      }
      start = null;
    }
    return parts;
  }
}

/** All parts in one, those that are too many to be told apart together. */
export function merged(parts: Iterable<Pick<Figures, 'callers'>>, limit: number): CallerCounts[] {
  const table = new CallTable(limit);
  for (const { callers } of parts) {
    for (const caller of callers) addCounts(table.of(caller), caller);
  }
  return table.all();
}

function summed(
  parts: readonly Pick<Figures, 'callers'>[],
): Pick<DayFigures, 'total' | 'routes' | 'keys'> {
  const total = noCalls();
  const [routes, keys] = [new Map<string, CallCounts>(), new Map<string | null, CallCounts>()];
  for (const { callers } of parts) {
    for (const caller of callers) {
      addCounts(total, caller);
      addTo(routes, caller.route, caller);
      addTo(keys, caller.keyId, caller);
    }
  }
  return {
    total: summaryOf(total),
    routes: [...routes]
      .map(([route, counts]) => ({ route, ...summaryOf(counts) }))
      .toSorted((a, b) => b.calls - a.calls),
    keys: [...keys]
      .map(([keyId, counts]) => ({ keyId, ...summaryOf(counts) }))
      .toSorted((a, b) => b.calls - a.calls),
  };
}

function addTo<K>(sums: Map<K, CallCounts>, name: K, counts: CallCounts): void {
  const known = sums.get(name) ?? noCalls();
  sums.set(name, known);
  addCounts(known, counts);
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
