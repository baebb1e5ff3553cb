import type { OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { EventFeedChanges, FeedListener } from '../outbox/event-feed-changes.js';

/** A request that waits for events of an organization; it notices all from its beginning on. */
export interface Waiter {
  /** Waits until there may be new events; false when the wait is over, and from then on. */
  news(): Promise<boolean>;
  /** Whether the wait is over. */
  isOver(): boolean;
  /** Has to be called in the end. */
  leave(): void;
}

interface Waiting {
  readonly wake: () => void;
  readonly end: () => void;
}

/**
 * The requests that wait for events (rule FEED-4). Waiting costs the database nothing, however many do: one
 * stream tells of the organizations with news. When there are too many, the one that has waited longest of
 * the organization with the most is told that its time is over.
 */
export class EventWaiters implements FeedListener, OnModuleDestroy {
  private readonly waiting = new Map<string, Set<Waiting>>();
  private count = 0;
  private cutShort = 0;
  private isListening = false;
  private isEnded = false;

  /** @param most how many may wait: each holds a connection */
  constructor(
    private readonly changes: Pick<EventFeedChanges, 'listen'>,
    private readonly most: number,
  ) {}

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
    this.listen();
    const key = organizationId.toHexString();
    let hasNews = false;
    let isOver = this.isEnded || signal.aborted;
    let settle: (() => void) | undefined;
    const waiting: Waiting = {
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
      news: async () => {
        if (!hasNews && !isOver) await new Promise<void>((resolve) => (settle = resolve));
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

  onNews(organizationId: string): void {
    for (const each of this.waiting.get(organizationId) ?? []) each.wake();
  }

  onGap(): void {
    for (const each of this.all()) each.wake();
  }

  onModuleDestroy(): void {
    this.endAll();
  }

  private listen(): void {
    if (this.isListening) return;
    this.isListening = true;
    this.changes.listen(this);
  }

  private add(key: string, waiting: Waiting): void {
    if (this.count >= this.most) this.cutOne();
    const others = this.waiting.get(key) ?? new Set();
    this.waiting.set(key, others.add(waiting));
    this.count += 1;
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
