import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import type { EventFeedDocument, NumberingPlan } from './event-feed.schema.js';

/** A plan, and for whose events it is. */
export interface FeedPlan extends NumberingPlan {
  readonly organizationId: Types.ObjectId;
}

/** How far the events of organizations are numbered. */
@Injectable()
export class EventFeedsRepository {
  constructor(
    @InjectAcrossTenants('EventFeed')
    private readonly feeds: CollectionAcrossTenants<EventFeedDocument>,
  ) {}

  /** The feed of an organization, null before its first event. */
  async find(organizationId: Types.ObjectId): Promise<EventFeedDocument | null> {
    return this.feeds.findOne(organizationId, { _id: organizationId });
  }

  /** The feeds of organizations that have one. */
  async findMany(organizationIds: readonly Types.ObjectId[]): Promise<EventFeedDocument[]> {
    return this.feeds.find(organizationIds, { _id: { $in: [...organizationIds] } });
  }

  /** The last number that the feed of each organization shows, by its id in hexadecimal. */
  async lastNumbers(
    organizationIds: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, number>> {
    const filter = {
      _id: { $in: [...organizationIds] },
      organizationId: { $in: [...organizationIds] },
    };
    const options = { projection: { last: 1 } } as const;
    const feeds = await this.feeds.acrossTenants
      .find<Pick<EventFeedDocument, '_id' | 'last'>>(filter, options)
      .toArray();
    return new Map(feeds.map(({ _id, last }) => [_id.toHexString(), last]));
  }

  /** The plans that were not finished. Looks at the feeds of all organizations. */
  async findPlans(): Promise<FeedPlan[]> {
    const unfinished = { 'pending.first': { $gt: 0 } };
    const feeds = await this.feeds.acrossTenants.find<EventFeedDocument>(unfinished).toArray();
    return feeds.flatMap(planOf);
  }

  /**
   * Stores plans for feeds that have none, each only if the last number is still the one before its first.
   *
   * @param known the feeds that there are already
   * @returns whether all were stored; if not, some may be
   */
  async plan(plans: readonly FeedPlan[], known: ReadonlySet<string>): Promise<boolean> {
    const operations = plans.map(({ organizationId, ...pending }) => {
      const { first, at } = pending;
      if (!known.has(organizationId.toHexString())) {
        const times = { createdAt: at, updatedAt: at };
        const nothing = { last: 0, numberedAt: null, numberedBy: null };
        const feed = { organizationId, ...nothing, pending, ...times };
        return { insertOne: { document: { _id: organizationId, ...feed } } };
      }
      const filter = { _id: organizationId, organizationId, last: first - 1, pending: null };
      return { updateOne: { filter, update: { $set: { pending, updatedAt: at } } } };
    });
    try {
      const written = await this.feeds.acrossTenants.bulkWrite(operations, { ordered: false });
      return written.insertedCount + written.matchedCount === plans.length;
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
      return false;
    }
  }

  /** Shows the events of plans whose numbers are stored; those of a plan that was finished already are shown. */
  async publish(plans: readonly FeedPlan[], numberedBy: string): Promise<void> {
    await this.feeds.acrossTenants.bulkWrite(
      plans.map(({ organizationId, first, eventIds, at }) => {
        const last = first + eventIds.length - 1;
        const filter = { _id: organizationId, organizationId, 'pending.first': first };
        const update = { $set: { last, numberedAt: at, numberedBy, pending: null, updatedAt: at } };
        return { updateOne: { filter, update } };
      }),
      { ordered: false },
    );
  }

  /** Gives up a plan whose numbers others have, if it is still there, and goes on behind the last of them. */
  async replan({ organizationId, first }: FeedPlan, last: number, now: Date): Promise<void> {
    await this.feeds.updateOne(
      organizationId,
      { _id: organizationId, 'pending.first': first },
      { $set: { last, pending: null, numberedBy: null, updatedAt: now } },
    );
  }
}

/** The plan of a feed that was not finished, if there is one. */
export function planOf({ organizationId, pending }: EventFeedDocument): FeedPlan[] {
  return pending === null ? [] : [{ organizationId, ...pending }];
}
