import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { minuteMs } from '../../core/values/durations.js';
import { type CallCounts, CallTable, countCall, noCalls } from './call-counts.js';
import type { Figures } from './call-figures.repository.js';

/** So many pairs of a key and a route are told apart in a minute; further ones count together. */
const callersLimit = 250;

/** So many minutes wait for a database that takes none: of more the oldest are lost. */
const minutesLimit = 30;

/** What a process has counted in a minute. */
export interface CountedMinute extends Figures {
  /** How often its clock had been set back: a minute that comes again is another one. */
  readonly run: number;
}

interface Minute {
  readonly at: Date;
  readonly run: number;
  readonly total: CallCounts;
  readonly callers: CallTable;
  readonly deliveries: { delivered: number; failed: number };
  /** Whether there is something that was not handed out. */
  isChanged: boolean;
}

/** Counts the calls of this process by minutes, in memory, until they are stored (rule OPS-32). */
@Injectable()
export class CallCounter {
  /** Oldest first; the last one is the current one. */
  private minutes: Minute[] = [];
  private run = 0;
  private lost = 0;

  constructor(private readonly clock: Clock) {}

  /** How many minutes wait to be stored, and how many there was no room for. */
  stats(): { readonly waitingMinutes: number; readonly lostMinutes: number } {
    return { waitingMinutes: this.minutes.length, lostMinutes: this.lost };
  }

  /** Counts a response that is over; costs about a microsecond. */
  count({ method, route, status, milliseconds, apiKeyId, organizationId }: CompletedRequest): void {
    const minute = this.current();
    const caller = minute.callers.of({
      keyId: apiKeyId ?? null,
      organizationId: organizationId ?? null,
      route: `${method} ${route}`,
    });
    countCall(minute.total, status, milliseconds);
    countCall(caller, status, milliseconds);
  }

  /** Counts attempts to deliver webhooks. */
  countDeliveries(delivered: number, failed: number): void {
    if (delivered + failed === 0) return;
    const { deliveries } = this.current();
    deliveries.delivered += delivered;
    deliveries.failed += failed;
  }

  /** What has changed since it was handed out last, oldest first. */
  takeChanged(): CountedMinute[] {
    const changed = this.minutes.filter(({ isChanged }) => isChanged);
    return changed.map((minute) => {
      minute.isChanged = false;
      const { at, run, total, callers, deliveries } = minute;
      return structuredClone({ at, run, total, callers: callers.all(), deliveries });
    });
  }

  /** What was handed out is to be handed out again: it could not be stored. */
  giveBack({ at, run }: Pick<CountedMinute, 'at' | 'run'>): void {
    const minute = this.minutes.find((one) => one.run === run && +one.at === +at);
    if (minute !== undefined) minute.isChanged = true;
  }

  /** Forgets the minutes that are over and stored. */
  forgetStored(): void {
    this.minutes = this.minutes.filter(
      (minute, index) => minute.isChanged || index === this.minutes.length - 1,
    );
  }

  private current(): Minute {
    const now = this.clock.now().getTime();
    const time = now - (now % minuteMs);
    const latest = this.minutes.at(-1);
    const minute = latest?.at.getTime() === time ? latest : this.addMinute(time);
    minute.isChanged = true;
    return minute;
  }

  private addMinute(time: number): Minute {
    const latest = this.minutes.at(-1);
    if (latest !== undefined && time < latest.at.getTime()) this.run++;
    if (this.minutes.length >= minutesLimit) {
      this.minutes.shift();
      this.lost++;
    }
    const minute = {
      at: new Date(time),
      run: this.run,
      total: noCalls(),
      callers: new CallTable(callersLimit),
      deliveries: { delivered: 0, failed: 0 },
      isChanged: true,
    };
    this.minutes.push(minute);
    return minute;
  }
}
