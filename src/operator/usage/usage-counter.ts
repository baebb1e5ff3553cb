import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { minuteMs } from '../../core/values/durations.js';
import { addCounts, countCall, type Counts } from './call-counts.js';

const quarterMs = 15 * minuteMs;
/** So many minutes wait for a database that takes none; later calls are lost. */
const minutesLimit = 60;
/** So many keys, or routes, of a quarter are told apart; further ones count together. */
const namesLimit = 1_000;

/** Calls by key and by route in a quarter of an hour. */
export interface QuarterCounts {
  readonly at: Date;
  /** By the key's id in hexadecimal; `none` for calls without a valid key, and for keys beyond the limit. */
  readonly keys: Map<string, Counts>;
  /** By route as `POST /leads`; `other` beyond the limit. */
  readonly routes: Map<string, Counts>;
}

/** What a process adds to the database at once. */
export interface UsageBatch {
  readonly _id: Types.ObjectId;
  readonly minutes: ReadonlyMap<number, Counts>;
  readonly quarters: readonly QuarterCounts[];
}

/** Counts the calls of this process in memory, until they are stored (rule OPS-32). */
@Injectable()
export class UsageCounter {
  /** By the time at which they begin, as the quarters. */
  private minutes = new Map<number, Counts>();
  private quarters = new Map<number, QuarterCounts>();
  private batch: UsageBatch | undefined;
  private lostCalls = 0;

  constructor(private readonly clock: Clock) {}

  /** How many minutes wait to be stored, and how many calls there was no room for. */
  stats(): { readonly waitingMinutes: number; readonly lostCalls: number } {
    const waitingMinutes = this.minutes.size + (this.batch?.minutes.size ?? 0);
    return { waitingMinutes, lostCalls: this.lostCalls };
  }

  /** Counts a response that has ended; costs about a microsecond. */
  count({ method, route, status, milliseconds, apiKeyId }: CompletedRequest): void {
    const now = this.clock.now().getTime();
    const minute = this.minuteOf(now);
    if (minute === undefined) {
      this.lostCalls++;
      return;
    }
    const at = now - (now % quarterMs);
    const quarter = this.quarters.get(at) ?? {
      at: new Date(at),
      keys: new Map(),
      routes: new Map(),
    };
    this.quarters.set(at, quarter);
    const ofKey = countsOf(quarter.keys, apiKeyId ?? 'none', 'none');
    const ofRoute = countsOf(quarter.routes, `${method} ${route}`, 'other');
    for (const counts of [minute, ofKey, ofRoute]) countCall(counts, status, milliseconds);
  }

  /** Counts attempts to deliver webhooks. */
  countDeliveries(delivered: number, undelivered: number): void {
    if (delivered + undelivered === 0) return;
    const minute = this.minuteOf(this.clock.now().getTime());
    if (minute !== undefined) addCounts(minute, { delivered, undelivered });
  }

  /** What is to be stored next: the same batch until it is confirmed; undefined when nothing was counted. */
  take(): UsageBatch | undefined {
    if (this.batch === undefined && this.minutes.size > 0) {
      const [minutes, quarters] = [this.minutes, [...this.quarters.values()]];
      this.batch = { _id: new Types.ObjectId(), minutes, quarters };
      this.minutes = new Map();
      this.quarters = new Map();
    }
    return this.batch;
  }

  /** Forgets a batch that is stored. */
  confirm(batch: UsageBatch): void {
    if (this.batch === batch) this.batch = undefined;
  }

  private minuteOf(now: number): Counts | undefined {
    const at = now - (now % minuteMs);
    const known = this.minutes.get(at);
    if (known !== undefined || this.minutes.size >= minutesLimit) return known;
    const counts: Counts = {};
    this.minutes.set(at, counts);
    return counts;
  }
}

function countsOf(all: Map<string, Counts>, wanted: string, others: string): Counts {
  const name = all.has(wanted) || all.size < namesLimit ? wanted : others;
  const counts = all.get(name) ?? {};
  all.set(name, counts);
  return counts;
}
