import type { OnModuleDestroy } from '@nestjs/common';
import { Types } from 'mongoose';
import type { EventFeedsRepository } from '../outbox/event-feeds.repository.js';
import type { EventRelay } from '../outbox/event-relay.js';

/** How often the database is asked for what other processes have numbered. */
const intervalMs = 250;

/** A request that waits for events of an organization; it notices all from its beginning on. */
class Waiter {
  /** The number up to which events were looked at; null while the request looks for them itself. */
  lookedUpTo: number | null = null;
  isOver = false;
  private hasNews = false;
  private settle = () => {};

  /** @param leave has to be called in the end */
  constructor(
    readonly key: string,
    readonly leave: () => void,
  ) {}

  /**
   * Waits until there may be events with a higher number than was looked at; false when the wait is over, and
   * from then on.
   */
  async news(lookedUpTo: number): Promise<boolean> {
    this.lookedUpTo = lookedUpTo;
    if (!this.hasNews && !this.isOver) {
      await new Promise<void>((resolve) => (this.settle = resolve));
    }
    this.lookedUpTo = null;
    const isWoken = this.hasNews;
    this.hasNews = false;
    return isWoken && !this.isOver;
  }

  wake(): void {
    this.hasNews = true;
    this.settle();
  }

  end(): void {
    this.isOver = true;
    this.settle();
  }
}

/**
 * The requests that wait for events (rule FEED-4). Events that this process numbers wake them at once. For those
 * of other processes one question for all who wait is asked after the other; while the database does not
 * answer it nobody is woken, so that nobody else asks either. When there are too many, the one that has waited
 * longest of the organization with the most is told that its time is over.
 */
export class EventWaiters implements OnModuleDestroy {
  private readonly waiting = new Map<string, Set<Waiter>>();
  private count = 0;
  private cutShort = 0;
  private question: NodeJS.Timeout | undefined;
  private isEnded = false;

  /** @param most how many may wait: each holds a connection */
  constructor(
    relay: Pick<EventRelay, 'onNumbered'>,
    private readonly feeds: Pick<EventFeedsRepository, 'lastNumbers'>,
    private readonly most: number,
  ) {
    relay.onNumbered((organizationId) => {
      for (const each of this.waiting.get(organizationId.toHexString()) ?? []) each.wake();
    });
  }

  /** How many wait, and how often one was sent away early because there were too many. */
  stats(): { readonly waiting: number; readonly cutShort: number } {
    return { waiting: this.count, cutShort: this.cutShort };
  }

  /**
   * Begins to wait.
   *
   * @param milliseconds at most
   * @param signal ends it too: the client has left
   */
  enlist(organizationId: Types.ObjectId, milliseconds: number, signal: AbortSignal): Waiter {
    const end = () => waiter.end();
    const timer = setTimeout(end, milliseconds);
    const waiter = new Waiter(organizationId.toHexString(), () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      this.remove(waiter);
    });
    signal.addEventListener('abort', end);
    waiter.isOver = this.isEnded || signal.aborted;
    if (!waiter.isOver) this.add(waiter);
    return waiter;
  }

  /** Ends all waits, also those that begin later: the process is to end. */
  endAll(): void {
    this.isEnded = true;
    for (const each of [...this.waiting.values()].flatMap((some) => [...some])) each.end();
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
    // One that fails is asked again.
    await this.wakeBehind().catch(() => undefined);
    this.question = undefined;
    this.askSoon();
  }

  private async wakeBehind(): Promise<void> {
    const idle = [...this.waiting].filter(([, some]) =>
      [...some].some(({ lookedUpTo }) => lookedUpTo !== null),
    );
    if (idle.length === 0) return;
    const last = await this.feeds.lastNumbers(idle.map(([key]) => new Types.ObjectId(key)));
    for (const [key, some] of idle) {
      for (const each of some) {
        if (each.lookedUpTo !== null && each.lookedUpTo < (last.get(key) ?? 0)) each.wake();
      }
    }
  }

  private add(waiter: Waiter): void {
    if (this.count >= this.most) this.cutOne();
    const others = this.waiting.get(waiter.key) ?? new Set();
    this.waiting.set(waiter.key, others.add(waiter));
    this.count += 1;
    this.askSoon();
  }

  private cutOne(): void {
    let largest = new Set<Waiter>();
    for (const some of this.waiting.values()) if (some.size > largest.size) largest = some;
    const [longest] = largest;
    if (longest === undefined) return;
    this.remove(longest);
    this.cutShort += 1;
    longest.end();
  }

  private remove(waiter: Waiter): void {
    const others = this.waiting.get(waiter.key);
    if (others?.delete(waiter) !== true) return;
    this.count -= 1;
    if (others.size === 0) this.waiting.delete(waiter.key);
  }
}
