import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  type CrossTenantCollection,
  InjectCrossTenant,
} from '../../core/database/documents/cross-tenant-collection.js';
import type { Backlog } from '../../core/database/documents/tenant-queries.js';
import type { EventFeedDocument, OutboxEventDocument } from './outbox-event.schema.js';

export const unnumbered = { sequence: null } as const;

@Injectable()
export class EventFeedsRepository {
  constructor(
    @InjectCrossTenant('OutboxEvent')
    private readonly events: CrossTenantCollection<OutboxEventDocument>,
    @InjectCrossTenant('EventFeed')
    private readonly feeds: CrossTenantCollection<EventFeedDocument>,
    private readonly clock: Clock,
  ) {}

  /** Returns 0 before the first event of the feed. */
  async lastNumber(organizationId: Types.ObjectId): Promise<number> {
    const feed = await this.feeds.findOne(organizationId, { _id: organizationId });
    return feed?.last ?? 0;
  }

  /** Keys are hexadecimal organization ids. */
  async lastNumbers(
    organizationIds: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, number>> {
    const _id = { $in: organizationIds };
    const feeds = await this.feeds.find(organizationIds, { _id }, { fields: ['last'] });
    return new Map(feeds.map((feed) => [feed._id.toHexString(), feed.last]));
  }

  /** Counts events without a number, which have no deliveries yet. */
  async backlog(): Promise<Backlog> {
    return this.events.backlog(unnumbered, 'createdAt', this.clock.now(), 'unnumbered');
  }
}
