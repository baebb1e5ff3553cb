import { Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import { Types } from 'mongoose';
import { readAsValues } from '../../core/database/documents/stored-values.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { withIndexHint } from '../../core/database/documents/tenant-queries.js';
import { openSession } from '../../core/database/transactions/sessions.js';
import type { EventFeedDocument, OutboxEventDocument } from './outbox-event.schema.js';

/** An event as the relay reads it. Its data, which may be large, have only `_id`. */
export type UnnumberedEvent = Pick<
  OutboxEventDocument,
  '_id' | 'organizationId' | 'type' | 'data' | 'erasedAt'
> & { readonly bytes: number };

export interface BacklogCount {
  readonly oldest: Date | null;
  readonly count: number;
}

const unnumbered = { sequence: null } as const;
const lowestId = new Types.ObjectId('0'.repeat(24));
const byId = { hint: { _id: 1 } } as const;
/** Server-side limit in ms: a scrape must not load the database. */
const metricsTime = { maxTimeMS: 1_000 } as const;

@Injectable()
export class OutboxEventsRepository {
  private readonly events: Collection<OutboxEventDocument>;
  private readonly feeds: Collection<EventFeedDocument>;

  constructor(
    @InjectAcrossTenants('OutboxEvent')
    private readonly collection: CollectionAcrossTenants<OutboxEventDocument>,
    @InjectAcrossTenants('EventFeed') feeds: CollectionAcrossTenants<EventFeedDocument>,
  ) {
    this.events = collection.acrossTenants;
    this.feeds = feeds.acrossTenants;
  }

  async insert(events: readonly OutboxEventDocument[]): Promise<void> {
    await this.collection.insert(...events);
  }

  /** Round robin: the next organization after `after` with unnumbered events; null if there is none. */
  async nextUnnumbered(after: Types.ObjectId | null): Promise<Types.ObjectId | null> {
    const event = await withIndexHint('unnumbered', (hint) =>
      this.events.findOne<Pick<OutboxEventDocument, 'organizationId'>>(
        { ...unnumbered, organizationId: { $gt: after ?? lowestId } },
        { sort: { organizationId: 1, storedAt: 1 }, projection: { organizationId: 1 }, ...hint },
      ),
    );
    if (event !== null) return event.organizationId;
    return after === null ? null : this.nextUnnumbered(null);
  }

  async findUnnumbered(organizationId: Types.ObjectId, limit: number): Promise<UnnumberedEvent[]> {
    const projection = {
      organizationId: 1,
      type: 1,
      erasedAt: 1,
      'data._id': 1,
      bytes: { $bsonSize: '$$ROOT' },
    } as const;
    return this.events
      .find<UnnumberedEvent>(
        { organizationId, ...unnumbered },
        { sort: { storedAt: 1 }, limit, projection, ...openSession() },
      )
      .toArray();
  }

  /** Gives events the next numbers, in the open transaction; after `lastGiven` even if the feed says less. */
  async number(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
    { lastGiven, failureReason }: { readonly lastGiven: number; readonly failureReason?: string },
  ): Promise<void> {
    const feed = await this.feeds.findOneAndUpdate(
      { _id: organizationId, organizationId },
      [
        {
          $set: {
            last: { $add: [{ $max: ['$last', lastGiven] }, ids.length] },
            // Another process's clock may be ahead.
            numberedAt: { $max: ['$numberedAt', now] },
            updatedAt: now,
            createdAt: { $ifNull: ['$createdAt', now] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after', ...openSession() },
    );
    const { last = 0, numberedAt = now } = feed ?? {};
    const sequence = { $add: [last - ids.length + 1, { $indexOfArray: [ids, '$_id'] }] };
    const reason =
      failureReason === undefined ? {} : { failureReason: { $literal: failureReason } };
    await this.events.updateMany(
      { _id: { $in: [...ids] }, organizationId, ...unnumbered },
      [{ $set: { sequence, numberedAt, updatedAt: numberedAt, ...reason } }],
      { ...byId, ...openSession() },
    );
  }

  async lastSequence(organizationId: Types.ObjectId): Promise<number> {
    const options = { projection: { sequence: 1 }, sort: { sequence: -1 } } as const;
    const event = await this.events.findOne({ organizationId, sequence: { $gt: 0 } }, options);
    return event?.sequence ?? 0;
  }

  /** The last number that the feed of an organization shows; 0 before its first event. */
  async lastNumber(organizationId: Types.ObjectId): Promise<number> {
    const feed = await this.feeds.findOne({ _id: organizationId, organizationId }, openSession());
    return feed?.last ?? 0;
  }

  /** The same for several organizations, by their ids in hexadecimal. */
  async lastNumbers(
    organizationIds: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, number>> {
    const ids = { $in: [...organizationIds] };
    const feeds = await this.feeds
      .find({ _id: ids, organizationId: ids }, { projection: { last: 1 } })
      .toArray();
    return new Map(feeds.map(({ _id, last }) => [_id.toHexString(), last]));
  }

  async findWhole(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<OutboxEventDocument[]> {
    if (ids.length === 0) return [];
    const filter = { _id: { $in: [...ids] }, organizationId };
    return this.events.find(filter, { ...byId, ...readAsValues }).toArray();
  }

  async waiting(limit: number): Promise<BacklogCount> {
    return withIndexHint('unnumbered', async (hint) => {
      const [waiting] = await this.events
        .aggregate<BacklogCount>(
          [
            { $match: unnumbered },
            { $limit: limit },
            { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$createdAt' } } },
          ],
          { ...metricsTime, ...hint },
        )
        .toArray();
      return waiting ?? { oldest: null, count: 0 };
    });
  }
}
