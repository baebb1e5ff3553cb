import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Collection, Document, Filter } from 'mongodb';
import type { Types } from 'mongoose';
import type { Backlog } from '../../core/database/documents/tenant-queries.js';
import {
  type CrossTenantCollection,
  InjectCrossTenant,
} from '../../core/database/documents/cross-tenant-collection.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import type { AttemptResult, DeliveryOutcome } from './attempt-outcome.js';
import {
  type FailureReason,
  maxLoggedAttempts,
  type WebhookDeliveryDocument,
} from './webhook-delivery.schema.js';

export type DueDelivery = Omit<WebhookDeliveryDocument, 'log'>;

export interface FinishedAttempt {
  readonly delivery: DueDelivery;
  /** Unchecked: another program may have stored any value. */
  readonly url: unknown;
  readonly result: AttemptResult;
  readonly outcome: DeliveryOutcome;
}

/** A worker leases an endpoint for this time, in ms (rule HOOK-9). */
export const leaseMs = 60_000;
const isFree = { $or: [{ $lte: ['$leaseOwner', null] }, { $lte: ['$leasedUntil', '$$NOW'] }] };

export interface DueEndpoint extends Pick<WebhookEndpointDocument, '_id' | 'latencyClass'> {
  /** Neither leased nor paused; missing if another program has deleted the endpoint. */
  readonly isReady?: boolean;
}

/** Costs one index seek per endpoint. */
const firstPerEndpoint = (fields: Document) => [
  { $match: { status: 'pending' } },
  { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
  { $group: { _id: '$endpointId', ...fields } },
];

/** A larger statement would delay other writes. */
const failBatchSize = 1_000;
const byId = { hint: { _id: 1 } } as const;
/** Metrics must not keep the database server busy for longer. */
const metricsTime = { maxTimeMS: 1_000 } as const;

@Injectable()
export class DeliveryQueueRepository {
  private readonly deliveries: Collection<WebhookDeliveryDocument>;
  private readonly endpoints: Collection<WebhookEndpointDocument>;

  constructor(
    @InjectCrossTenant('WebhookDelivery')
    private readonly collection: CrossTenantCollection<WebhookDeliveryDocument>,
    @InjectCrossTenant('WebhookEndpoint')
    endpoints: CrossTenantCollection<WebhookEndpointDocument>,
  ) {
    this.deliveries = collection.allTenants;
    this.endpoints = endpoints.allTenants;
  }

  /** Costs one seek. */
  async hasDue(now: Date): Promise<boolean> {
    const due = { status: 'pending', nextAttemptAt: { $lte: now } } as const;
    const options = { sort: { nextAttemptAt: 1 }, projection: { _id: 1 } } as const;
    return (await this.deliveries.findOne(due, options)) !== null;
  }

  /** Costs one seek for each endpoint with pending deliveries. */
  async findDueEndpoints(now: Date): Promise<DueEndpoint[]> {
    // Only an enabled endpoint can be paused: deliveries of a disabled one fail.
    const isPaused = { $and: [{ $eq: ['$isEnabled', true] }, { $gt: ['$pausedUntil', now] }] };
    const isReady = { $and: [isFree, { $not: [isPaused] }] };
    const endpoint = {
      from: this.endpoints.collectionName,
      localField: '_id',
      foreignField: '_id',
      pipeline: [{ $project: { latencyClass: 1, isReady } }],
      as: 'endpoint',
    };
    return this.deliveries
      .aggregate<DueEndpoint>([
        ...firstPerEndpoint({ dueAt: { $first: '$nextAttemptAt' } }),
        { $match: { dueAt: { $lte: now } } },
        { $lookup: endpoint },
        { $replaceWith: { $mergeObjects: [{ _id: '$_id' }, { $first: '$endpoint' }] } },
      ])
      .toArray();
  }

  /** Returns null while another worker has the lease. */
  async lease(_id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    const $set = { leaseOwner: randomUUID(), leasedUntil: { $add: ['$$NOW', leaseMs] } };
    return this.endpoints.findOneAndUpdate({ _id, $expr: isFree }, [{ $set }], {
      returnDocument: 'after',
    });
  }

  /** Releases the lease. Stores `fields` and returns true, unless the operator has changed the endpoint since. */
  async release(
    { _id, leaseOwner, updatedAt }: WebhookEndpointDocument,
    fields: Partial<WebhookEndpointDocument>,
  ): Promise<boolean> {
    const leased = { _id, leaseOwner: leaseOwner ?? '' };
    const free = { leaseOwner: null };
    const update = { $set: { ...fields, ...free } };
    const write = () => this.endpoints.updateOne({ ...leased, updatedAt }, update);
    const { matchedCount } = await write().catch(write);
    if (matchedCount === 0) await this.endpoints.updateOne(leased, { $set: free });
    return matchedCount === 1;
  }

  async findDue(endpointId: Types.ObjectId, now: Date, limit: number): Promise<DueDelivery[]> {
    return this.deliveries
      .find<DueDelivery>(
        { status: 'pending', endpointId, nextAttemptAt: { $lte: now } },
        { sort: { nextAttemptAt: 1 }, limit, projection: { log: 0 } },
      )
      .toArray();
  }

  /** Can be repeated. An attempt of an earlier round is only logged. */
  async store(finished: readonly FinishedAttempt[]): Promise<void> {
    if (finished.length === 0) return;
    const operations = finished.map((each) => ({
      updateOne: {
        filter: { _id: each.delivery._id, 'log.startedAt': { $ne: each.result.startedAt } },
        update: [attemptUpdate(each)],
        ...byId,
      },
    }));
    const write = () => this.deliveries.bulkWrite(operations, { ordered: false });
    await write().catch(write);
  }

  async fail(
    ids: readonly Types.ObjectId[],
    failureReason: FailureReason,
    now: Date,
  ): Promise<void> {
    if (ids.length === 0) return;
    await this.deliveries.updateMany(
      { _id: { $in: [...ids] }, status: 'pending' },
      { $set: { status: 'failed', failureReason, completedAt: now, updatedAt: now } },
    );
  }

  /**
   * Fails a thousand deliveries created up to `until`. A running attempt still counts if it succeeds, but has no
   * retry.
   *
   * @returns whether more may be pending
   */
  async failPendingBatch(
    endpointId: Types.ObjectId,
    reason: FailureReason,
    now: Date,
    until?: Date,
  ): Promise<boolean> {
    const created = until === undefined ? {} : { createdAt: { $lte: until } };
    const waiting: Filter<WebhookDeliveryDocument> = { status: 'pending', endpointId, ...created };
    const found = await this.deliveries
      .find(waiting, { projection: { _id: 1 }, limit: failBatchSize })
      .toArray();
    const ids = found.map(({ _id }) => _id);
    await this.fail(ids, reason, now);
    return ids.length === failBatchSize;
  }

  async findPendingEndpoints(): Promise<Pick<WebhookEndpointDocument, '_id' | 'organizationId'>[]> {
    const first = firstPerEndpoint({ organizationId: { $first: '$organizationId' } });
    return this.deliveries
      .aggregate<Pick<WebhookEndpointDocument, '_id' | 'organizationId'>>(first, metricsTime)
      .toArray();
  }

  async backlog(now: Date): Promise<Backlog> {
    const due = { status: 'pending', nextAttemptAt: { $lte: now } } as const;
    return this.collection.backlog(due, 'nextAttemptAt', now, 'due');
  }
}

function unlessErased(values: Readonly<Record<string, string | null>>): Document {
  const kept = Object.entries(values).map(([name, value]) => [
    name,
    { $cond: [{ $gt: ['$erasedAt', null] }, null, { $literal: value }] },
  ]);
  return Object.fromEntries(kept) as Document;
}

/** Applies to any state of the delivery, which may have changed during the attempt. */
function attemptUpdate({ delivery, url, result, outcome }: FinishedAttempt) {
  const { round, attempts } = delivery;
  const { retryAfter: _retryAfter, ...attempted } = result;
  const entry = { round, attempt: attempts + 1, url: String(url), ...attempted };
  // After an erasure, none of a response is stored, because it may contain personal data.
  const { response, redirectsTo = null } = attempted;
  const kept = unlessErased({ response, redirectsTo });
  const logged = { $mergeObjects: [{ $literal: entry }, kept] };
  const log = {
    $slice: [{ $concatArrays: [{ $ifNull: ['$log', []] }, [logged]] }, -maxLoggedAttempts],
  };
  const isCurrent = {
    $eq: [
      ['$round', '$attempts'],
      [round, attempts],
    ],
  };
  const $set: Document = { log };
  for (const [field, value] of Object.entries(outcome)) {
    $set[field] = { $cond: [isCurrent, { $literal: value as unknown }, `$${field}`] };
  }
  return { $set };
}
