import { Injectable } from '@nestjs/common';
import type { ChangeStream } from 'mongodb';
import type { Types } from 'mongoose';
import { readAsValues } from '../../database/connection/mongoose-settings.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';

/** Until when documents belong to one process, and under what name. */
export interface Lease {
  readonly owner: string;
  readonly from: Date;
  readonly until: Date;
}

interface Sized {
  readonly _id: Types.ObjectId;
  readonly bytes: number;
}

/** The database reads no more events than that beyond the last one that fits. */
const sizesInBatch = 10;

/** Since when the oldest of what waits does so, and how much it is. */
export interface Waiting {
  readonly oldest: Date | null;
  readonly count: number;
}

/** Figures for metrics are not worth more of the server's time. */
const figuresTimeMs = 1_000;

/** An event without its contents, which may be large. */
export type ListedEvent = Omit<OutboxEventDocument, 'data' | 'changes'>;

@Injectable()
export class OutboxEventsRepository {
  constructor(
    @InjectCollection('OutboxEvent') private readonly events: TenantCollection<OutboxEventDocument>,
  ) {}

  async insert(events: readonly OutboxEventDocument[]): Promise<void> {
    await this.events.insertAll(events);
  }

  /** The events that are committed from now on and wait to be relayed, by any process. */
  watchInserts(): ChangeStream {
    const waiting = { operationType: 'insert', 'fullDocument.relayedAt': null };
    const inserts = [{ $match: waiting }, { $project: { _id: 1 } }];
    return this.events.acrossTenants.watch(inserts, { maxAwaitTimeMS: 1_000 });
  }

  /**
   * Leases events that wait, oldest first. Events are not committed in the order of their ids or
   * times, so each is leased by its own state, never by being newer than the last one.
   *
   * @param limits how many at most, and how many bytes of them; a single larger one is leased alone
   * @returns what was leased, and whether more may wait
   */
  async lease(
    lease: Lease,
    limits: { readonly count: number; readonly bytes: number },
  ): Promise<{ leased: OutboxEventDocument[]; hasMore: boolean }> {
    const events = this.events.acrossTenants;
    const waiting = {
      relayedAt: null,
      $or: [{ leasedUntil: null }, { leasedUntil: { $lte: lease.from } }],
    };
    const oldest = { sort: { createdAt: 1 } } as const;
    const sizes = events.find<Sized>(waiting, {
      ...oldest,
      projection: { bytes: { $bsonSize: '$$ROOT' } },
      limit: limits.count,
      batchSize: sizesInBatch,
    });
    const found: Types.ObjectId[] = [];
    let total = 0;
    let isFull = false;
    for await (const { _id, bytes } of sizes) {
      total += bytes;
      isFull = found.length > 0 && total > limits.bytes;
      if (isFull) break;
      found.push(_id);
    }
    if (found.length === 0) return { leased: [], hasMore: false };
    const ids = { _id: { $in: found } };
    await events.updateMany(
      { ...ids, ...waiting },
      { $set: { leasedUntil: lease.until, leaseOwner: lease.owner } },
    );
    const leased = await events
      .find<OutboxEventDocument>(
        { ...ids, leaseOwner: lease.owner },
        { ...oldest, ...readAsValues },
      )
      .toArray();
    return { leased, hasMore: isFull || found.length === limits.count };
  }

  /**
   * Stores that the deliveries of events were created.
   *
   * @param expiresAt when they go; null when that is as for all
   */
  async markRelayed(
    events: readonly OutboxEventDocument[],
    relayedAt: Date,
    expiresAt: Date | null,
  ): Promise<void> {
    if (events.length === 0) return;
    await this.events.acrossTenants.updateMany(
      { _id: { $in: events.map(({ _id }) => _id) }, relayedAt: null },
      { $set: { ...relayed(relayedAt), ...(expiresAt === null ? {} : { expiresAt }) } },
    );
  }

  /**
   * The events that wait to be relayed.
   *
   * @param limit most that are counted
   */
  async waiting(limit: number): Promise<Waiting> {
    const events = this.events.acrossTenants;
    const options = { maxTimeMS: figuresTimeMs } as const;
    const oldest = await events.findOne<Pick<OutboxEventDocument, 'createdAt'>>(
      { relayedAt: null },
      { ...options, sort: { createdAt: 1 }, projection: { createdAt: 1 } },
    );
    if (oldest === null) return { oldest: null, count: 0 };
    const count = await events.countDocuments({ relayedAt: null }, { ...options, limit });
    return { oldest: oldest.createdAt, count };
  }

  /** Sets an event aside whose deliveries could not be created, or not all of them. */
  async markFailed(_id: Types.ObjectId, failureReason: string, failedAt: Date): Promise<void> {
    await this.events.acrossTenants.updateOne(
      { _id, relayedAt: null },
      { $set: { ...relayed(failedAt), failureReason } },
    );
  }

  /** The newest events of an organization that were, or were not, set aside. */
  async list(
    organizationId: Types.ObjectId,
    { failed, limit }: { readonly failed: boolean; readonly limit: number },
  ): Promise<ListedEvent[]> {
    const without = ['data', 'changes'] as const;
    if (!failed) {
      return this.events.find(organizationId, {}, { without, sort: { createdAt: -1 }, limit });
    }
    const filter = { failureReason: { $gt: '' } } as const;
    return this.events.find(organizationId, filter, { without, sort: { relayedAt: -1 }, limit });
  }
}

function relayed(relayedAt: Date) {
  return { relayedAt, updatedAt: relayedAt, leasedUntil: null, leaseOwner: null };
}
