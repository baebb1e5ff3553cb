import { Inject, Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { Snapshots } from '../../core/database/transactions/snapshots.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { mebibyte } from '../../core/values/numbers.js';
import { type EventPayload, idOfMessage, objectIdOf, payloadOf } from '../outbox/message.js';
import { dayMs } from '../../core/values/durations.js';
import { EventFeedsRepository } from '../outbox/event-feeds.repository.js';
import type { OutboxEventDocument } from '../outbox/outbox-event.schema.js';
import { eventErrors } from './event-errors.js';

/** How many bytes of events a page has, as they are stored; a single larger one comes alone. */
const pageBytes = 4 * mebibyte;
/** How many events are looked through for those of the wanted types before it is seen what the time is. */
const windowSize = 5_000;
/** How long a page may look for events of the wanted types. */
const searchMs = 1_000;

const sequenceOnly = { fields: ['sequence'] } as const;

/** An event in the feed; what receivers of webhooks are told, and its number. */
export interface FeedEvent extends EventPayload {
  readonly sequence: number;
  /** The `webhook-id`. */
  readonly id: string;
  /** The id of the object that it is about; null where that has none. */
  readonly objectId: string | null;
}

/** What of the events is asked for. */
export interface FeedPart {
  /** The number behind which it begins; 0 for the oldest one that is kept. */
  readonly after: number;
  readonly limit: number;
  /** Null for all. */
  readonly types: readonly string[] | null;
}

/** A page of the feed. */
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** The number up to which everything was looked at; the next page begins after it. */
  readonly next: number;
  /** Whether there are events after that. */
  readonly hasMore: boolean;
}

/** Reads the numbered events of organizations (rules FEED-1 to FEED-3). */
@Injectable()
export class EventFeedService {
  private readonly keptMs: number;

  constructor(
    @InjectCollection('OutboxEvent')
    private readonly events: TenantCollection<OutboxEventDocument>,
    private readonly feeds: EventFeedsRepository,
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) { EVENTS_RETENTION_DAYS }: Environment,
  ) {
    this.keptMs = EVENTS_RETENTION_DAYS * dayMs;
  }

  /**
   * A page of events. One that looks for certain types ends, with `hasMore`, when it has looked for a
   * second in vain.
   *
   * @throws DomainError 400 beyond the last event, 410 where the next events are no longer kept
   */
  async page(organizationId: Types.ObjectId, part: FeedPart): Promise<FeedPage> {
    // A new primary may know later than the one before how far the feed goes, and which events that shows.
    return this.snapshots.during(() => this.pageNow(organizationId, part));
  }

  private async pageNow(organizationId: Types.ObjectId, part: FeedPart): Promise<FeedPage> {
    const { after, limit, types } = part;
    const last = (await this.feeds.find(organizationId))?.last ?? 0;
    if (after > last) return this.beyond(organizationId, after);
    const oldest = after === last ? last + 1 : await this.oldestBehind(organizationId, after, last);
    // The server removes what has expired some time later, in no certain order.
    if (after > 0 && oldest > after + 1) throw expired(oldest - 1);
    const endOfSearch = performance.now() + searchMs;
    for (let behind = oldest - 1; ;) {
      const end = types === null ? last : Math.min(last, behind + windowSize);
      const { events, isCut } = await this.read(
        organizationId,
        { behind, last: end, limit },
        types,
      );
      const next = isCut ? (events.at(-1)?.sequence ?? end) : end;
      const isOver = events.length > 0 || next === last || performance.now() > endOfSearch;
      if (isOver) return { events, next, hasMore: next < last };
      behind = next;
    }
  }

  /**
   * The number of an event, which may be named by its message instead.
   *
   * @throws DomainError 410 when the event is not kept, or none of the organization's
   */
  async numberOf(organizationId: Types.ObjectId, event: string): Promise<number> {
    if (/^\d+$/.test(event)) return Number(event);
    const _id = parseObjectId(idOfMessage(event));
    // Only what a majority has, and so cannot be taken back, is shown.
    return this.snapshots.during(async () => {
      const found = _id && (await this.events.findOne(organizationId, { _id }, sequenceOnly));
      if (found?.sequence) return found.sequence;
      const last = (await this.feeds.find(organizationId))?.last ?? 0;
      throw expired((await this.oldestBehind(organizationId, 0, last)) - 1);
    });
  }

  /** A new primary may not know yet that a majority has the events which the one before it has shown. */
  private async beyond(organizationId: Types.ObjectId, after: number): Promise<FeedPage> {
    const numbers = await this.feeds.lastNumbers([organizationId]);
    const last = numbers.get(organizationId.toHexString()) ?? 0;
    if (after > last) throw new DomainError(eventErrors.beyondLast, { last });
    return { events: [], next: after, hasMore: false };
  }

  private async oldestBehind(
    organizationId: Types.ObjectId,
    behind: number,
    last: number,
  ): Promise<number> {
    const numberedAfter = new Date(this.clock.now().getTime() - this.keptMs);
    const first = await this.events.findOne(
      organizationId,
      { sequence: { $gt: behind }, numberedAt: { $gt: numberedAfter } },
      { ...sequenceOnly, sort: { sequence: 1 } },
    );
    // After a restore of another moment there may be higher numbers than the feed has.
    return Math.min(first?.sequence ?? last + 1, last + 1);
  }

  private async read(
    organizationId: Types.ObjectId,
    { behind, last, limit }: { behind: number; last: number; limit: number },
    types: readonly string[] | null,
  ): Promise<{ events: FeedEvent[]; isCut: boolean }> {
    const events: FeedEvent[] = [];
    let bytes = 0;
    const ofTypes = types === null ? {} : { type: { $in: [...types] } };
    const filter = { sequence: { $gt: behind, $lte: last }, ...ofTypes };
    const options = { sort: { sequence: 1 }, limit, hint: 'feed' } as const;
    for await (const batch of this.events.batches(organizationId, filter, options)) {
      for (const event of batch) {
        bytes += BSON.calculateObjectSize(event);
        if (events.length > 0 && bytes > pageBytes) return { events, isCut: true };
        events.push(feedEvent(event));
      }
    }
    return { events, isCut: events.length === limit };
  }
}

function expired(next: number): DomainError {
  return new DomainError(eventErrors.expired, { next }, { 'x-next-cursor': String(next) });
}

function feedEvent(event: OutboxEventDocument): FeedEvent {
  const { id, payload } = payloadOf(event);
  return { sequence: Number(event.sequence), id, ...payload, objectId: objectIdOf(event) };
}
