import { Injectable } from '@nestjs/common';
import { BSON, type ChangeStream, type ChangeStreamOptions, type Document } from 'mongodb';
import type { Types } from 'mongoose';
import type { Change } from '../../database/changes/change-watcher.js';
import { readAsValues } from '../../database/connection/mongoose-settings.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../database/documents/across-tenants.js';
import type { PreparedRewrites, Rewrite } from '../../database/documents/tenant-operations.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';

/** Spares the server the trial of all indexes. */
const byId = { hint: { _id: 1 } } as const;

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
    @InjectAcrossTenants('OutboxEvent')
    private readonly events: CollectionAcrossTenants<OutboxEventDocument>,
  ) {}

  async insert(events: readonly OutboxEventDocument[]): Promise<void> {
    await this.events.insertAll(events);
  }

  /** The events that are committed from now on and wait to be relayed, by any process. */
  watchInserts(options: ChangeStreamOptions): ChangeStream<Document, Change> {
    const waiting = { operationType: 'insert', 'fullDocument.relayedAt': null };
    const inserts = [{ $match: waiting }, { $project: { _id: 1 } }];
    return this.events.acrossTenants.watch(inserts, options);
  }

  /**
   * Events that wait, oldest first. They are not committed in the order of their ids or times, so
   * each is found by its own state, never by being newer than the last one.
   *
   * @param limits how many at most, and how many bytes of them; a single larger one comes alone
   * @returns the events, and whether more may wait
   */
  async findWaiting(limits: {
    readonly count: number;
    readonly bytes: number;
  }): Promise<{ events: OutboxEventDocument[]; hasMore: boolean }> {
    const cursor = this.events.acrossTenants.find<OutboxEventDocument>(
      { relayedAt: null },
      { sort: { createdAt: 1 }, limit: limits.count, ...readAsValues },
    );
    const events: OutboxEventDocument[] = [];
    let bytes = 0;
    for await (const event of cursor) {
      bytes += BSON.calculateObjectSize(event);
      if (events.length > 0 && bytes > limits.bytes) return { events, hasMore: true };
      events.push(event);
    }
    return { events, hasMore: events.length === limits.count };
  }

  /**
   * Stores that the deliveries of events were created.
   *
   * @param expiresAt when they go; null when that is as for all
   * @param areErased whether they are events of which something was removed; no other one is marked
   * @returns how many were marked
   */
  async markRelayed(
    events: readonly OutboxEventDocument[],
    relayedAt: Date,
    expiresAt: Date | null,
    areErased = false,
  ): Promise<number> {
    if (events.length === 0) return 0;
    const erasedAt = areErased ? { $ne: null } : null;
    const { modifiedCount } = await this.events.acrossTenants.updateMany(
      { _id: { $in: events.map(({ _id }) => _id) }, relayedAt: null, erasedAt },
      { $set: { ...relayed(relayedAt), ...(expiresAt === null ? {} : { expiresAt }) } },
      byId,
    );
    return modifiedCount;
  }

  /** Those of the events of which something has been removed, as they are now (rule LEAD-15). */
  async findErased(events: readonly OutboxEventDocument[]): Promise<OutboxEventDocument[]> {
    const organizations = new Map(events.map(({ organizationId: id }) => [String(id), id]));
    const filter = { _id: { $in: events.map(({ _id }) => _id) }, erasedAt: { $ne: null } };
    return this.events.findAcross([...organizations.values()], filter);
  }

  /** What becomes of the events about objects, as `rewriteOf` decides it. */
  rewritesAbout(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    rewriteOf: (event: OutboxEventDocument) => Rewrite<OutboxEventDocument> | null,
  ): AsyncGenerator<PreparedRewrites, void> {
    const filter = { 'data._id': { $in: objectIds } };
    return this.events.rewrites(organizationId, filter, rewriteOf);
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
  return { relayedAt, updatedAt: relayedAt };
}
