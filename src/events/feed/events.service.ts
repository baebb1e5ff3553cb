import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestCaller } from '../../core/http/request-caller.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { withinDeadline } from '../../core/database/connection/deadline.js';
import { listItems } from '../../core/values/text.js';
import { coversType, eventTypes } from '../outbox/event-types.js';
import { EventFeedService, type FeedPage } from './event-feed.service.js';
import { EventWaiters } from './event-waiters.js';
import type { EventsQuery } from './events.query.js';

/** The feed of an organization's events for those who ask (rules FEED-1 to FEED-4). */
@Injectable()
export class EventsService {
  private readonly deadlineMs: number;
  /** Readings that have not begun, by what they read; each is there for a turn of the event loop. */
  private readonly beginning = new Map<string, Promise<FeedPage>>();

  constructor(
    private readonly feed: EventFeedService,
    private readonly waiters: EventWaiters,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS }: Environment,
  ) {
    this.deadlineMs = DATABASE_DEADLINE_MS;
  }

  /**
   * The page that checked parameters ask for, when there is something on it or the wait is over.
   *
   * @param signal ends the wait: the client has left
   * @throws DomainError 400 beyond the last event, 410 with where to go on
   */
  async read(
    { organizationId }: RequestCaller,
    query: EventsQuery,
    signal: AbortSignal,
  ): Promise<FeedPage> {
    const { limit = '100', types, lastEventId = '0', after: first = lastEventId } = query;
    const { wait, timeout = '0' } = query;
    const milliseconds = wait === undefined ? Number(timeout) : Number(wait) * 1_000;
    const end = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
    const part = { limit: Number(limit), types: types === undefined ? null : typesOf(types) };
    let after = await this.inTime(this.feed.numberOf(organizationId, first));
    for (let isFirst = true; ; isFirst = false) {
      const read = () => this.inTime(this.feed.page(organizationId, { ...part, after }));
      const key = [organizationId.toHexString(), after, limit, types].join(' ');
      const page = await (isFirst ? read() : this.together(key, read));
      const isOver = milliseconds === 0 || end.aborted || this.waiters.isEnded;
      if (page.events.length > 0 || isOver) return page;
      // A long search in vain continues as long as it is waited for.
      const hasNews = page.hasMore || (await this.waiters.news(organizationId, page.next, end));
      if (!hasNews) return page;
      after = page.next;
    }
  }

  /**
   * One reading for all who want the same before it begins: an event wakes all that wait for it at once. One
   * that has begun may not see what a later one was woken for.
   */
  private together(key: string, read: () => Promise<FeedPage>): Promise<FeedPage> {
    const beginning = this.beginning.get(key);
    if (beginning !== undefined) return beginning;
    const reading = nextTurn().then(() => {
      this.beginning.delete(key);
      return read();
    });
    this.beginning.set(key, reading);
    return reading;
  }

  /** Waiting for events is not limited, waiting for the database is. */
  private inTime<T>(reading: Promise<T>): Promise<T> {
    return withinDeadline(reading, this.deadlineMs);
  }
}

/** The types that a comma list of subscriptions covers; null for all. */
function typesOf(list: string): string[] | null {
  const wanted = listItems(list);
  return wanted.includes('*') ? null : eventTypes.filter((type) => coversType(wanted, type));
}
