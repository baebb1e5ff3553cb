import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import { type RequestCaller, seesOnlyPublic } from '../../core/http/requests/request-caller.js';
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
import { EventVisibility, type ShowEvents } from './event-visibility.js';
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
  readonly isPublic: boolean;
}

interface SearchedEvents {
  readonly types: readonly string[] | null;
  readonly limit: number;
  /** Null for a key that sees everything. */
  readonly show: ShowEvents | null;
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
    private readonly visibility: EventVisibility,
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS, EVENTS_RETENTION_DAYS }: Environment,
  ) {
    this.retentionMs = EVENTS_RETENTION_DAYS * dayMs;
    this.deadlineMs = DATABASE_DEADLINE_MS;
  }

  /** Responds as soon as an event exists or the wait is over. */
  async read(
    caller: Pick<RequestCaller, 'organizationId' | 'restrictions'>,
    query: EventsQuery,
    signal: AbortSignal,
    onWait: () => void,
  ): Promise<EventsResponseDto> {
    const { organizationId } = caller;
    const isPublic = seesOnlyPublic(caller);
    const { limit = '100', types, after: first = '0', wait = '0' } = query;
    const milliseconds = Number(wait) * 1_000;
    const end = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
    const wanted = types === undefined ? null : wantedTypes(types);
    const part = { limit: Number(limit), types: wanted, isPublic };
    let after = Number(first);
    for (let isFirst = true; ; isFirst = false) {
      const read = () => this.inSnapshot(() => this.page(organizationId, { ...part, after }));
      const key = [organizationId.toHexString(), isPublic, after, limit, types].join(' ');
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
    { after, limit, types, isPublic }: PageRequest,
  ): Promise<EventsResponseDto> {
    const last = await this.feeds.lastNumber(organizationId);
    if (after > last) await this.assertNumberIssued(organizationId, after);
    if (after >= last) return { data: [], next: after, hasMore: false };
    const isSearch = types !== null || isPublic;
    const oldest = isSearch ? await this.oldestSequence(organizationId, after, last) : null;
    const show = this.showTo(organizationId, isPublic);
    const endOfSearch = performance.now() + searchMs;
    for (let position = oldest === null ? after : oldest - 1; ;) {
      const end = isSearch ? Math.min(last, position + windowSize) : last;
      const kept = this.retainedFilter(position, end);
      const searched = { types, limit, show };
      const { data, next = end } = await this.readEvents(organizationId, kept, searched);
      assertRetained(after, oldest ?? data[0]?.sequence ?? last + 1);
      const isOver = data.length > 0 || next === last || performance.now() > endOfSearch;
      if (isOver) return { data, next, hasMore: next < last };
      position = next;
    }
  }

  /** Begins again for each page, because a reader may wait while a unit is hidden. */
  private showTo(organizationId: Types.ObjectId, isPublic: boolean): ShowEvents | null {
    return isPublic ? this.visibility.showTo(organizationId) : null;
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

  /** Reads in the order of numbers; `next` is the last event that was read, shown or not, if a limit applied. */
  private async readEvents(
    organizationId: Types.ObjectId,
    kept: TenantFilter<OutboxEventDocument>,
    { types, limit, show }: SearchedEvents,
  ): Promise<{ data: EventDto[]; next?: number | undefined }> {
    const stored = types && (show === null ? types : this.visibility.storedTypes(types));
    const filter = { ...kept, ...(stored !== null && { type: { $in: stored } }) };
    const data: EventDto[] = [];
    const read = { bytes: 0, count: 0, next: 0 };
    // A reader of few events must not cost one query for each event that is left out.
    const most = show === null ? limit : windowSize;
    for await (const batch of this.events.feed(organizationId, filter, most)) {
      const shown = show === null ? batch : await show(batch);
      for (const [index, event] of batch.entries()) {
        read.bytes += BSON.calculateObjectSize(event);
        if (read.count > 0 && read.bytes > pageBytes) return { data, next: read.next };
        read.count += 1;
        read.next = Number(event.sequence);
        const visible = shown[index] ?? null;
        const isWanted = visible !== null && (types === null || types.includes(visible.type));
        if (isWanted)
          data.push({ sequence: read.next, id: messageIdOf(event._id), ...payloadOf(visible) });
        if (data.length === limit) return { data, next: read.next };
      }
    }
    return { data };
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
