import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Types } from 'mongoose';
import { Metrics } from '../../core/observability/metrics.js';
import { EventRelay } from '../outbox/event-relay.js';

const intervalMs = 250;

/** A request that waits for an event with a higher number than it has read. */
interface Waiter {
  readonly organizationId: string;
  readonly lastRead: number;
  readonly end: (hasNews: boolean) => void;
}

/**
 * The requests that wait for events (rule FEED-4). Events that this process numbers wake them at once. One query at
 * a time for all of them finds the others; while it fails nobody is woken, so that they do not stampede the database.
 */
@Injectable()
export class LongPollWaiters implements OnModuleDestroy {
  maxWaiters = 5_000;
  /** The process shuts down: no request may wait. */
  isEnded = false;
  /** The longest-waiting first. */
  private readonly waiting = new Set<Waiter>();
  private readonly evictions;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly relay: EventRelay,
    metrics: Metrics,
  ) {
    relay.onNumbered = (id) => this.wake(new Map([[id.toHexString(), Number.POSITIVE_INFINITY]]));
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

  get count(): number {
    return this.waiting.size;
  }

  /** Waits for events after the last that was read; false when the signal, a shutdown or others end the wait. */
  async waitForEvents(
    organizationId: Types.ObjectId,
    lastRead: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.isEnded || signal.aborted) return false;
    if (this.count >= this.maxWaiters) this.evictOne();
    const { promise, resolve: end } = Promise.withResolvers<boolean>();
    const waiter = { organizationId: organizationId.toHexString(), lastRead, end };
    const isOver = () => end(false);
    signal.addEventListener('abort', isOver);
    this.waiting.add(waiter);
    this.scheduleCheck();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', isOver);
      this.waiting.delete(waiter);
    }
  }

  endAll(): void {
    this.isEnded = true;
    for (const { end } of this.waiting) end(false);
  }

  onModuleDestroy(): void {
    this.endAll();
  }

  private scheduleCheck(): void {
    if (this.count > 0) this.timer ??= setTimeout(() => void this.check(), intervalMs).unref();
  }

  private async check(): Promise<void> {
    const keys = new Set([...this.waiting].map(({ organizationId }) => organizationId));
    const ids = [...keys].map((key) => new Types.ObjectId(key));
    // After a failure the next look follows as well.
    if (ids.length > 0) this.wake(await this.relay.lastNumbers(ids).catch(() => new Map()));
    this.timer = undefined;
    this.scheduleCheck();
  }

  private wake(lastNumbers: ReadonlyMap<string, number>): void {
    for (const { organizationId, lastRead, end } of this.waiting) {
      if (lastRead < (lastNumbers.get(organizationId) ?? 0)) end(true);
    }
  }

  private evictOne(): void {
    const groups = Map.groupBy(this.waiting, ({ organizationId }) => organizationId);
    const [largest = []] = [...groups.values()].toSorted((a, b) => b.length - a.length);
    const [longest] = largest;
    if (longest === undefined) return;
    this.waiting.delete(longest);
    this.evictions.inc();
    longest.end(false);
  }
}
