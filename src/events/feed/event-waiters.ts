import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Types } from 'mongoose';
import { Counter } from 'prom-client';
import { Metrics } from '../../core/observability/metrics.js';
import { EventFeedsRepository } from '../outbox/event-feeds.repository.js';
import { EventRelay } from '../outbox/event-relay.js';

/** How often the database is asked for what other processes have numbered. */
const intervalMs = 250;

/** A request that waits for an event with a higher number than it has looked at. */
interface Waiter {
  readonly lookedUpTo: number;
  /** Ends the wait, with whether there may be such an event. */
  readonly end: (hasNews: boolean) => void;
}

/**
 * The requests that wait for events (rule FEED-4). Events that this process numbers wake them at once. For those
 * of other processes one question for all who wait is asked after the other; while the database does not
 * answer it nobody is woken, so that nobody else asks either. When there are too many, the one that has waited
 * longest of the organization with the most is told that its time is over.
 */
@Injectable()
export class EventWaiters implements OnModuleDestroy {
  /** How many may wait: each holds a connection. */
  most = 5_000;
  /** How many wait. */
  count = 0;
  /** Whether no request can wait any more: the process is to end. */
  isEnded = false;
  private readonly waiting = new Map<string, Set<Waiter>>();
  private readonly cutShort: Counter;
  private question: NodeJS.Timeout | undefined;

  constructor(
    relay: EventRelay,
    private readonly feeds: EventFeedsRepository,
    metrics: Metrics,
  ) {
    relay.onNumbered((organizationId) => {
      for (const { end } of this.waiting.get(organizationId.toHexString()) ?? []) end(true);
    });
    metrics.collect(
      'event_requests_waiting',
      'Requests that wait for events in this process; 5,000 at most.',
      () => this.count,
    );
    this.cutShort = new Counter(
      metrics.options(
        'event_waits_cut_short_total',
        'Requests whose wait for events ended early because too many were waiting.',
      ),
    );
  }

  /**
   * Waits until there may be events with a higher number than was looked at.
   *
   * @param signal ends the wait
   * @returns false when the wait is over without any
   */
  async news(
    organizationId: Types.ObjectId,
    lookedUpTo: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.isEnded || signal.aborted) return false;
    if (this.count >= this.most) this.cutOne();
    const { promise, resolve: end } = Promise.withResolvers<boolean>();
    const key = organizationId.toHexString();
    const waiter = { lookedUpTo, end };
    const isOver = () => end(false);
    signal.addEventListener('abort', isOver);
    this.waiting.set(key, (this.waiting.get(key) ?? new Set()).add(waiter));
    this.count += 1;
    this.askSoon();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', isOver);
      this.remove(key, waiter);
    }
  }

  /** Ends all waits, also those that begin later: the process is to end. */
  endAll(): void {
    this.isEnded = true;
    for (const { end } of [...this.waiting.values()].flatMap((some) => [...some])) end(false);
  }

  onModuleDestroy(): void {
    this.endAll();
  }

  /** Asks one question after the other for as long as somebody waits. */
  private askSoon(): void {
    if (this.question !== undefined || this.count === 0) return;
    this.question = setTimeout(() => void this.ask(), intervalMs).unref();
  }

  private async ask(): Promise<void> {
    // A question that fails is asked again.
    if (this.count > 0) await this.wakeBehind().catch(() => undefined);
    this.question = undefined;
    this.askSoon();
  }

  private async wakeBehind(): Promise<void> {
    const keys = [...this.waiting.keys()];
    const last = await this.feeds.lastNumbers(keys.map((key) => new Types.ObjectId(key)));
    for (const [key, number] of last) {
      for (const { lookedUpTo, end } of this.waiting.get(key) ?? []) {
        if (lookedUpTo < number) end(true);
      }
    }
  }

  private cutOne(): void {
    const [key, largest] = [...this.waiting].reduce((one, other) =>
      other[1].size > one[1].size ? other : one,
    );
    const [longest] = largest;
    if (longest === undefined) return;
    this.remove(key, longest);
    this.cutShort.inc();
    longest.end(false);
  }

  private remove(key: string, waiter: Waiter): void {
    const others = this.waiting.get(key);
    if (others?.delete(waiter) !== true) return;
    this.count -= 1;
    if (others.size === 0) this.waiting.delete(key);
  }
}
