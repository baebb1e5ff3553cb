import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import type { TenantUpdate } from '../../core/database/documents/tenant-queries.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { EventFeedDocument } from './outbox-event.schema.js';

@Injectable()
export class EventFeedsRepository {
  constructor(@InjectModel('EventFeed') private readonly feeds: TenantModel<EventFeedDocument>) {}

  /** Returns 0 before the first event of the feed. */
  async lastNumber(organizationId: Types.ObjectId): Promise<number> {
    const feed = await this.feeds.findOne({ organizationId, _id: organizationId }).lean();
    return feed?.last ?? 0;
  }

  /** Keys are hexadecimal organization ids. */
  async lastNumbers(
    organizationIds: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, number>> {
    const ids = { $in: organizationIds };
    const options = { batchSize: 10_000 };
    const feeds = await this.feeds
      .find({ organizationId: ids, _id: ids }, ['last'], options)
      .lean();
    return new Map(feeds.map((feed) => [feed._id.toHexString(), feed.last]));
  }

  /** Creates the feed if there is none. */
  async update(
    organizationId: Types.ObjectId,
    update: Pick<TenantUpdate<EventFeedDocument>, '$inc' | '$max'>,
    now: Date,
  ): Promise<EventFeedDocument | null> {
    return this.feeds
      .findOneAndUpdate(
        { _id: organizationId, organizationId },
        { ...update, $set: { updatedAt: now }, $setOnInsert: { createdAt: now } },
        { upsert: true, returnDocument: 'after' },
      )
      .lean();
  }
}
