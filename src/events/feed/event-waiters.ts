import type { OnModuleDestroy } from '@nestjs/common';
import { Types } from 'mongoose';
import type { EventFeedsRepository } from '../outbox/event-feeds.repository.js';
import type { EventRelay } from '../outbox/event-relay.js';

/** How often the database is asked for what other processes have numbered. */
const intervalMs = 250;

/** A request that waits for events of an organization; it notices all from its beginning on. */
export interface Waiter {
  /**
   * Waits until there may be events with a higher number than was looked at; false when the wait is over, and
   * from then on.
   */
  news(lookedUpTo: number): Promise<boolean>;
  /** Whether the wait is over. */
  isOver(): boolean;
  /** Has to be called in the end. */
  leave(): void;
}

interface Waiting {
  /** The number up to which events were looked at; null while the request looks for them itself. */
  lookedUpTo: number | null;
  readonly wake: () => void;
  readonly end: () => void;
}

/**
 * The requests that wait for events (rule FEED-4). Events that this process numbers wake them at once. For those
 * of other processes one question for all who wait is asked after the other; while the database does not
 * answer it nobody is woken, so that nobody else asks either. When there are too many, the one that has waited
 * longest of the organization with the most is told that its time is over.
 */
export class EventWaiters implements OnModuleDestroy {
  private readonly waiting = new Map<string, Set<Waiting>>();
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
    const key = organizationId.toHexString();
    let hasNews = false;
    let isOver = this.isEnded || signal.aborted;
    let settle: (() => void) | undefined;
    const waiting: Waiting = {
      lookedUpTo: null,
      wake: () => {
        hasNews = true;
        settle?.();
      },
      end: () => {
        isOver = true;
        settle?.();
      },
    };
    const timer = setTimeout(waiting.end, milliseconds);
    signal.addEventListener('abort', waiting.end);
    if (!isOver) this.add(key, waiting);
    return {
      news: async (lookedUpTo) => {
        waiting.lookedUpTo = lookedUpTo;
        if (!hasNews && !isOver) await new Promise<void>((resolve) => (settle = resolve));
        waiting.lookedUpTo = null;
        const wasTold = hasNews;
        hasNews = false;
        return wasTold && !isOver;
      },
      isOver: () => isOver,
      leave: () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', waiting.end);
        this.remove(key, waiting);
      },
    };
  }

  /** Ends all waits, also those that begin later: the process is to end. */
  endAll(): void {
    this.isEnded = true;
    for (const each of this.all()) each.end();
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
    const idle = [...this.waiting].filter(([, some]) => [...some].some(isIdle));
    if (idle.length === 0) return;
    const last = await this.feeds.lastNumbers(idle.map(([key]) => new Types.ObjectId(key)));
    for (const [key, some] of idle) {
      for (const each of some) {
        if (each.lookedUpTo !== null && each.lookedUpTo < (last.get(key) ?? 0)) each.wake();
      }
    }
  }

  private add(key: string, waiting: Waiting): void {
    if (this.count >= this.most) this.cutOne();
    const others = this.waiting.get(key) ?? new Set();
    this.waiting.set(key, others.add(waiting));
    this.count += 1;
    this.askSoon();
  }

  private cutOne(): void {
    let largest: [key: string, Set<Waiting>] | undefined;
    for (const entry of this.waiting) {
      if (largest === undefined || entry[1].size > largest[1].size) largest = entry;
    }
    const [longest] = largest?.[1] ?? [];
    if (largest === undefined || longest === undefined) return;
    this.remove(largest[0], longest);
    this.cutShort += 1;
    longest.end();
  }

  private remove(key: string, waiting: Waiting): void {
    const others = this.waiting.get(key);
    if (others?.delete(waiting) !== true) return;
    this.count -= 1;
    if (others.size === 0) this.waiting.delete(key);
  }

  private all(): Waiting[] {
    return [...this.waiting.values()].flatMap((some) => [...some]);
  }
}

function isIdle({ lookedUpTo }: Waiting): boolean {
  return lookedUpTo !== null;
}
