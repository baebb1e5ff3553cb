import { Injectable } from '@nestjs/common';
import { BSON, type Document } from 'mongodb';
import type { Types } from 'mongoose';
import { withIndexHint } from '../../core/database/documents/cursors.js';
import {
  rewritesOf,
  type PreparedRewrites,
  type Rewrite,
} from '../../core/database/documents/rewrites.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import { readAsValues } from '../../core/database/connection/mongoose-settings.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
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

/** An event with what it says has changed, and of what it shows only id and status. */
export type ChangeEvent = Pick<
  OutboxEventDocument,
  '_id' | 'type' | 'requestId' | 'createdAt' | 'changes' | 'data'
>;

@Injectable()
export class OutboxEventsRepository {
  constructor(
    @InjectAcrossTenants('OutboxEvent')
    private readonly events: CollectionAcrossTenants<OutboxEventDocument>,
  ) {}

  async insert(events: readonly OutboxEventDocument[]): Promise<void> {
    await this.events.insertAll(events);
  }

  /**
   * Events that have no number yet, in the order in which they were stored. They are not committed in
   * the order of their ids or times, so each is found by its own state, never by being newer than the
   * last one. Those that have no deliveries to get come without their contents.
   *
   * @param limits how many at most, and how many bytes of them; a single larger one comes alone
   * @returns the events, which cannot be taken back any more, and whether there may be others
   */
  async findUnnumbered(limits: {
    readonly count: number;
    readonly bytes: number;
  }): Promise<{ events: OutboxEventDocument[]; hasMore: boolean }> {
    const cursor = this.events.acrossTenants.find<OutboxEventDocument>(
      { sequence: null },
      {
        sort: { storedAt: 1 },
        limit: limits.count,
        projection: { ...relayedFields, data: ifWaiting('$data'), changes: ifWaiting('$changes') },
        // One moment for all replies: an event may be committed between two of them, and then another that knows of it.
        readConcern: { level: 'snapshot' },
        ...readAsValues,
      },
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

  /** How many of some events have no number; only what cannot be taken back. */
  async countUnnumbered(ids: readonly Types.ObjectId[]): Promise<number> {
    const filter = { _id: { $in: [...ids] }, sequence: null };
    return this.events.acrossTenants.countDocuments(filter, { ...byId, readConcern: 'majority' });
  }

  /**
   * Stores the numbers of events that have none yet; from then on they have also been relayed.
   *
   * @param at when they got them
   */
  async setNumbers(
    numbers: readonly { readonly _id: Types.ObjectId; readonly sequence: number }[],
    at: Date,
  ): Promise<void> {
    const ids = numbers.map(({ _id }) => _id);
    const position = { $indexOfArray: [ids, '$_id'] };
    const sequence = { $arrayElemAt: [numbers.map((number) => number.sequence), position] };
    const relayedAt = { $ifNull: ['$relayedAt', at] };
    // One statement for all: a statement each costs the server half as much again.
    await this.events.acrossTenants.updateMany(
      { _id: { $in: ids }, sequence: null },
      [{ $set: { sequence, numberedAt: at, relayedAt, updatedAt: at } }],
      byId,
    );
  }

  /** Those of the events of which something has been removed, as they are now (rule LEAD-15). */
  async findErased(events: readonly OutboxEventDocument[]): Promise<OutboxEventDocument[]> {
    const organizations = new Map(events.map(({ organizationId: id }) => [String(id), id]));
    const filter = { _id: { $in: events.map(({ _id }) => _id) }, erasedAt: { $ne: null } };
    return this.events.find([...organizations.values()], filter);
  }

  /** What becomes of the events about objects, as `rewriteOf` decides it. */
  rewritesAbout(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    rewriteOf: (event: OutboxEventDocument) => Rewrite<OutboxEventDocument> | null,
  ): AsyncGenerator<PreparedRewrites, void> {
    const filter = { 'data._id': { $in: objectIds } };
    return rewritesOf(this.events, organizationId, filter, rewriteOf);
  }

  /** One event of an organization, null when there is none; only what cannot be taken back. */
  async findById(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
  ): Promise<Pick<OutboxEventDocument, '_id' | 'sequence'> | null> {
    const options = { fields: ['sequence'], limit: 1, readConcern: 'majority' } as const;
    const [event] = await this.events.find(organizationId, { _id }, options);
    return event ?? null;
  }

  /** The first event of an organization behind a number that got its own after a time, or null. */
  async findFirst(
    organizationId: Types.ObjectId,
    { behind, numberedAfter }: { readonly behind: number; readonly numberedAfter: Date },
  ): Promise<Pick<OutboxEventDocument, '_id' | 'sequence'> | null> {
    const [event] = await this.events.find(
      organizationId,
      { sequence: { $gt: behind }, numberedAt: { $gt: numberedAfter } },
      { fields: ['sequence'], sort: { sequence: 1 }, limit: 1 },
    );
    return event ?? null;
  }

  /** The highest number of an organization's events; 0 when none has one. */
  async lastSequence(organizationId: Types.ObjectId): Promise<number> {
    const [event] = await this.events.find(
      organizationId,
      { sequence: { $gt: 0 } },
      { fields: ['sequence'], sort: { sequence: -1 }, limit: 1 },
    );
    return event?.sequence ?? 0;
  }

  /**
   * Events of an organization in the order of their numbers, read from the server as they are asked for.
   *
   * @param part behind which number, up to which one, how many at most
   * @param types only these; null for all
   */
  feed(
    organizationId: Types.ObjectId,
    part: { readonly behind: number; readonly last: number; readonly limit: number },
    types: readonly string[] | null,
  ): AsyncGenerator<OutboxEventDocument[], void> {
    const { behind, last, limit } = part;
    const ofTypes = types === null ? {} : { type: { $in: [...types] } };
    return this.events.batches(
      organizationId,
      { sequence: { $gt: behind, $lte: last }, ...ofTypes },
      { sort: { sequence: 1 }, limit, hint: 'feed' },
    );
  }

  /**
   * The events that wait to be relayed and numbered.
   *
   * @param limit most that are counted
   */
  async waiting(limit: number): Promise<Waiting> {
    const events = this.events.acrossTenants;
    const options = { maxTimeMS: figuresTimeMs } as const;
    const oldest = await events.findOne<Pick<OutboxEventDocument, 'createdAt'>>(
      { sequence: null },
      { ...options, sort: { storedAt: 1 }, projection: { createdAt: 1 } },
    );
    if (oldest === null) return { oldest: null, count: 0 };
    // The index is of another field: without a hint the server would read all events.
    const count = await withIndexHint('unnumbered', (hint) =>
      events.countDocuments({ sequence: null }, { ...options, ...hint, limit }),
    );
    return { oldest: oldest.createdAt, count };
  }

  /** Sets an event aside whose deliveries could not be created, or not all of them. */
  async markFailed(
    { _id, organizationId }: OutboxEventDocument,
    failureReason: string,
    failedAt: Date,
  ): Promise<void> {
    await this.events.updateOne(
      organizationId,
      { _id, relayedAt: null },
      { $set: { relayedAt: failedAt, updatedAt: failedAt, failureReason } },
    );
  }

  /** What is known of the events about objects, newest first: of which type, when, by which request. */
  async listAbout(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedEvent>> {
    const about = { 'data._id': { $in: objectIds } };
    const without = ['data', 'changes'] as const;
    return this.events.page(organizationId, about, newestFirst, part, { without });
  }

  /** As {@link listAbout}, events of some types with what changed. */
  async listChangesOf(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    types: readonly string[],
    limit: number,
  ): Promise<ChangeEvent[]> {
    if (objectIds.length === 0) return [];
    const about = { 'data._id': { $in: objectIds }, type: { $in: types } };
    const fields = [
      'type',
      'requestId',
      'createdAt',
      'changes',
      'data._id',
      'data.status',
    ] as const;
    return this.events.find(organizationId, about, { fields, sort: { createdAt: -1 }, limit });
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

/** What the relay reads of each event. */
const relayedFields = {
  organizationId: 1,
  type: 1,
  createdAt: 1,
  updatedAt: 1,
  relayedAt: 1,
  erasedAt: 1,
} as const;

/** A field of an event that has no deliveries yet; of others nothing. */
function ifWaiting(field: string): Document {
  const isWaiting = { $eq: [{ $ifNull: ['$relayedAt', null] }, null] };
  return { $cond: [isWaiting, field, '$$REMOVE'] };
}
