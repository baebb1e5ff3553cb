import { Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import type { Types } from 'mongoose';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { openSession } from '../../core/database/transactions/open-session.js';
import type { EventFeedDocument } from './event-feed.schema.js';

/** How far the events of organizations are numbered. */
@Injectable()
export class EventFeedsRepository {
  private readonly feeds: Collection<EventFeedDocument>;

  constructor(
    @InjectAcrossTenants('EventFeed') collection: CollectionAcrossTenants<EventFeedDocument>,
  ) {
    this.feeds = collection.acrossTenants;
  }

  /** The feed of an organization, null before its first event. */
  async find(organizationId: Types.ObjectId): Promise<EventFeedDocument | null> {
    return this.feeds.findOne({ _id: organizationId, organizationId }, openSession());
  }

  /** The last number that the feed of each organization shows, by its id in hexadecimal. */
  async lastNumbers(
    organizationIds: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, number>> {
    const ids = { $in: [...organizationIds] };
    const feeds = await this.feeds
      .find({ _id: ids, organizationId: ids }, { projection: { last: 1 } })
      .toArray();
    return new Map(feeds.map(({ _id, last }) => [_id.toHexString(), last]));
  }

  /** Moves a feed to a number, never back. */
  async advance(organizationId: Types.ObjectId, last: number, numberedAt: Date): Promise<void> {
    await this.feeds.updateOne(
      { _id: organizationId, organizationId },
      {
        $max: { last, numberedAt },
        $set: { updatedAt: numberedAt },
        $setOnInsert: { createdAt: numberedAt },
      },
      { upsert: true, ...openSession() },
    );
  }
}
