import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { withinDeadline } from '../../core/database/connection/database-errors.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import { Snapshots, withoutSession } from '../../core/database/transactions/sessions.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { dayMs } from '../../core/values/time.js';
import { mebibyte } from '../../core/values/numbers.js';
import { splitList } from '../../core/values/text.js';
import { isSubscribedTo, eventTypes } from '../outbox/event-types.js';
import { EventFeedsRepository } from '../outbox/event-feeds.repository.js';
import { messageIdOf, payloadOf } from '../outbox/message.js';
import type { OutboxEventDocument } from '../outbox/outbox-event.schema.js';
import { OutboxEventsRepository } from '../outbox/outbox-events.repository.js';
import type { EventDto, EventsResponseDto } from './event.dto.js';
import { eventErrors } from './event-errors.js';
import { LongPollWaiters } from './long-poll-waiters.js';
import type { EventsQuery } from './events.query.js';

/** Limit for stored bytes of a page; a single larger event gets its own page. */
const pageBytes = 4 * mebibyte;
/** A search for certain types checks the time after reading this many events. */
const windowSize = 5_000;
const searchMs = 1_000;

interface PageRequest {
  /** The page begins after this number; 0 means the oldest retained event. */
  readonly after: number;
  readonly limit: number;
  readonly types: readonly string[] | null;
}

@Injectable()
export class EventFeedService {
  private readonly retentionMs: number;
  private readonly deadlineMs: number;
  /** Reads by their parameters; each waits for one turn of the event loop, then starts. */
  private readonly pendingReads = new Map<string, Promise<EventsResponseDto>>();

  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly feeds: EventFeedsRepository,
    private readonly waiters: LongPollWaiters,
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS, EVENTS_RETENTION_DAYS }: Environment,
  ) {
    this.retentionMs = EVENTS_RETENTION_DAYS * dayMs;
    this.deadlineMs = DATABASE_DEADLINE_MS;
  }

  /** Responds as soon as an event exists or the wait is over. */
  async read(
    organizationId: Types.ObjectId,
    query: EventsQuery,
    signal: AbortSignal,
    onWait: () => void,
  ): Promise<EventsResponseDto> {
    const { limit = '100', types, after: first = '0', wait = '0' } = query;
    const milliseconds = Number(wait) * 1_000;
    const end = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
    const part = { limit: Number(limit), types: types === undefined ? null : wantedTypes(types) };
    let after = Number(first);
    for (let isFirst = true; ; isFirst = false) {
      const read = () => this.inSnapshot(() => this.page(organizationId, { ...part, after }));
      const key = [organizationId.toHexString(), after, limit, types].join(' ');
      const page = await (isFirst ? read() : this.coalesce(key, read));
      const isOver = milliseconds === 0 || end.aborted || this.waiters.isEnded;
      if (page.data.length > 0 || isOver) return page;
      onWait();
      // A search without a result continues while its client waits.
      const hasNews =
        page.hasMore || (await this.waiters.waitForEvents(organizationId, page.next, end));
      if (!hasNews) return page;
      after = page.next;
    }
  }

  async page(
    organizationId: Types.ObjectId,
    { after, limit, types }: PageRequest,
  ): Promise<EventsResponseDto> {
    const last = await this.feeds.lastNumber(organizationId);
    if (after > last) await this.assertNumberIssued(organizationId, after);
    if (after >= last) return { data: [], next: after, hasMore: false };
    const oldest = types === null ? null : await this.oldestSequence(organizationId, after, last);
    const endOfSearch = performance.now() + searchMs;
    for (let position = oldest === null ? after : oldest - 1; ;) {
      const end = types === null ? last : Math.min(last, position + windowSize);
      const kept = this.retainedFilter(position, end);
      const filter = { ...kept, ...(types !== null && { type: { $in: types } }) };
      const { data, next = end } = await this.readEvents(organizationId, filter, limit);
      assertRetained(after, oldest ?? data[0]?.sequence ?? last + 1);
      const isOver = data.length > 0 || next === last || performance.now() > endOfSearch;
      if (isOver) return { data, next, hasMore: next < last };
      position = next;
    }
  }

  /** After a failover, a snapshot may briefly miss events that were already shown, so this reads without one. */
  private async assertNumberIssued(organizationId: Types.ObjectId, after: number): Promise<void> {
    const last = await withoutSession(() => this.feeds.lastNumber(organizationId));
    if (after > last) throw new DomainError(eventErrors.beyondLast, { last });
  }

  /** Returns the number after the range if none of its events is retained. */
  private async oldestSequence(organizationId: Types.ObjectId, after: number, last: number) {
    const kept = this.retainedFilter(after, last);
    return (await this.events.firstSequence(organizationId, kept)) ?? last + 1;
  }

  /** The server removes expired events late and in no certain order, so this filter hides them immediately. */
  private retainedFilter(after: number, last: number) {
    const expiredAt = new Date(this.clock.now().getTime() - this.retentionMs);
    return { sequence: { $gt: after, $lte: last }, numberedAt: { $gt: expiredAt } };
  }

  /** Reads in the order of numbers; `next` is the last event if a limit applied. */
  private async readEvents(
    organizationId: Types.ObjectId,
    filter: TenantFilter<OutboxEventDocument>,
    limit: number,
  ): Promise<{ data: EventDto[]; next?: number | undefined }> {
    const data: EventDto[] = [];
    const cut = () => ({ data, next: data.at(-1)?.sequence });
    let bytes = 0;
    for await (const batch of this.events.feed(organizationId, filter, limit)) {
      for (const event of batch) {
        bytes += BSON.calculateObjectSize(event);
        if (data.length > 0 && bytes > pageBytes) return cut();
        const id = messageIdOf(event._id);
        data.push({ sequence: Number(event.sequence), id, ...payloadOf(event) });
      }
    }
    return data.length === limit ? cut() : { data };
  }

  /** Shares only reads that have not started: a running one may miss the event that woke a later reader. */
  private coalesce(key: string, read: () => Promise<EventsResponseDto>) {
    const starting = this.pendingReads.get(key);
    if (starting !== undefined) return starting;
    const reading = nextTurn().then(() => {
      this.pendingReads.delete(key);
      return read();
    });
    this.pendingReads.set(key, reading);
    return reading;
  }

  /**
   * Snapshot reads are majority-committed, so a failover cannot undo a number that was returned. Just after a
   * failover the feed may briefly appear shorter. The deadline covers the database read, not the wait for events.
   */
  private inSnapshot<T>(read: () => Promise<T>): Promise<T> {
    return withinDeadline(this.snapshots.withSnapshot(read), this.deadlineMs);
  }
}

function assertRetained(after: number, oldest: number): void {
  if (after === 0 || oldest <= after + 1) return;
  const next = oldest - 1;
  throw new DomainError(eventErrors.expired, { next }, { 'x-next-cursor': String(next) });
}

function wantedTypes(list: string): string[] | null {
  const wanted = splitList(list);
  return wanted.includes('*') ? null : eventTypes.filter((type) => isSubscribedTo(wanted, type));
}
