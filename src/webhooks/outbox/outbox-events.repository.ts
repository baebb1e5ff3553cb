import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { readAsValues } from '../../database/connection/mongoose-settings.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';

/** For how long somebody has something to themselves, and under what name. */
export interface Lease {
  readonly owner: string;
  readonly from: Date;
  readonly until: Date;
}

/** The relay's queries on `outboxEvents`, over all organizations. */
@Injectable()
export class OutboxEventsRepository {
  constructor(@InjectModel('OutboxEvent') private readonly model: Model<OutboxEventDocument>) {}

  /**
   * Leases events that wait, oldest first. Events are not committed in the order of their ids or
   * times, so each is taken by its own state, never by being newer than the last one.
   */
  async lease(lease: Lease, limit: number): Promise<OutboxEventDocument[]> {
    const waiting = {
      relayedAt: null,
      $or: [{ leasedUntil: null }, { leasedUntil: { $lte: lease.from } }],
    };
    const found = await this.model.collection
      .find(waiting, { projection: { _id: 1 } })
      .sort({ createdAt: 1 })
      .limit(limit)
      .toArray();
    if (found.length === 0) return [];
    const ids = found.map(({ _id }) => _id);
    await this.model.collection.updateMany(
      { _id: { $in: ids }, ...waiting },
      { $set: { leasedUntil: lease.until, leaseOwner: lease.owner } },
    );
    return this.model.collection
      .find<OutboxEventDocument>({ _id: { $in: ids }, leaseOwner: lease.owner }, readAsValues)
      .sort({ createdAt: 1 })
      .toArray();
  }

  /** Notes that events were handed to their endpoints. */
  async markRelayed(events: readonly OutboxEventDocument[], relayedAt: Date): Promise<void> {
    await this.model.collection.updateMany(
      { _id: { $in: events.map(({ _id }) => _id) }, relayedAt: null },
      { $set: { relayedAt, updatedAt: relayedAt, leasedUntil: null, leaseOwner: null } },
    );
  }
}
