import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Types } from 'mongoose';
import { Metrics } from '../../core/observability/metrics.js';
import { EventFeedsRepository } from '../outbox/event-feeds.repository.js';
import { EventSignals } from '../outbox/event-signals.js';

const intervalMs = 250;

/** Waits for an event whose number is higher than `lastRead`. */
interface Waiter {
  readonly lastRead: number;
  readonly end: (hasNews: boolean) => void;
}

/**
 * Waiting requests wake immediately for events that this process numbers (rule FEED-4). A shared query finds the others;
 * while it fails nobody wakes, because all of them would query the database.
 */
@Injectable()
export class LongPollWaiters implements OnModuleDestroy {
  maxWaiters = 5_000;
  count = 0;
  /** True during shutdown: no request may wait. */
  isEnded = false;
  /** Sets are keyed by organization and begin with the longest-waiting request. */
  private readonly waiting = new Map<string, Set<Waiter>>();
  private readonly evictions;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly feeds: EventFeedsRepository,
    { numbered }: EventSignals,
    metrics: Metrics,
  ) {
    numbered.subscribe((organizationId) => this.wake(organizationId.toHexString()));
    metrics.collect(
      'event_requests_waiting',
      'Requests that wait for events in this process; 5,000 at most.',
      () => this.count,
    );
    this.evictions = metrics.counter(
      'event_waits_cut_short_total',
      'Requests whose wait for events ended early because too many were waiting.',
    );
  }

  /** Returns false when the signal, a shutdown or other waiters end the wait. */
  async waitForEvents(
    organizationId: Types.ObjectId,
    lastRead: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.isEnded || signal.aborted) return false;
    if (this.count >= this.maxWaiters) this.evictOne();
    const { promise, resolve: end } = Promise.withResolvers<boolean>();
    const key = organizationId.toHexString();
    const waiter = { lastRead, end };
    const isOver = () => end(false);
    signal.addEventListener('abort', isOver);
    this.waiting.set(key, (this.waiting.get(key) ?? new Set()).add(waiter));
    this.count += 1;
    this.scheduleCheck();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', isOver);
      this.remove(key, waiter);
    }
  }

  endAll(): void {
    this.isEnded = true;
    for (const { end } of [...this.waiting.values()].flatMap((some) => [...some])) end(false);
  }

  onModuleDestroy(): void {
    this.endAll();
  }

  private scheduleCheck(): void {
    if (this.count > 0) this.timer ??= setTimeout(() => void this.check(), intervalMs).unref();
  }

  private async check(): Promise<void> {
    const ids = [...this.waiting.keys()].map((key) => new Types.ObjectId(key));
    // A failed query wakes nobody, but the next one still runs.
    const numbers = ids.length === 0 ? [] : await this.feeds.lastNumbers(ids).catch(() => []);
    for (const [key, number] of numbers) this.wake(key, number);
    this.timer = undefined;
    this.scheduleCheck();
  }

  private wake(key: string, number = Number.POSITIVE_INFINITY): void {
    for (const { lastRead, end } of this.waiting.get(key) ?? []) if (lastRead < number) end(true);
  }

  private evictOne(): void {
    const [key, largest] = [...this.waiting].reduce((one, other) =>
      other[1].size > one[1].size ? other : one,
    );
    const [longest] = largest;
    if (longest === undefined) return;
    this.remove(key, longest);
    this.evictions.inc();
    longest.end(false);
  }

  private remove(key: string, waiter: Waiter): void {
    const others = this.waiting.get(key);
    if (others?.delete(waiter) !== true) return;
    this.count -= 1;
    if (others.size === 0) this.waiting.delete(key);
  }
}
