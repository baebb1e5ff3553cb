import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { AnyBulkWriteOperation, PipelineStage, Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { BatchedUpdates, TenantFilter } from '../../core/database/documents/tenant-queries.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import { type Backlog, backlogOf } from '../../core/database/models/backlogs.js';
import { batchedUpdatesOf } from '../../core/database/models/batches.js';
import { pageOf } from '../../core/database/models/pages.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import { pingType } from '../../events/outbox/event-types.js';
import { isFreeEndpoint } from '../endpoints/webhook-endpoints.repository.js';
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

export interface DueEndpoint extends Pick<WebhookEndpointDocument, '_id' | 'latencyClass'> {
  /** Neither leased nor paused; missing if another program has deleted the endpoint. */
  readonly isReady?: boolean;
}

interface PendingCounts {
  readonly count: number;
  /** Creation of the oldest delivery. */
  readonly oldestAt: Date | null;
  readonly nextAttemptAt: Date | null;
}

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;
type Filter = TenantFilter<WebhookDeliveryDocument>;

/** Costs one index seek per endpoint. */
const firstPerEndpoint = (
  fields: Readonly<Record<string, { $first: string }>>,
): PipelineStage[] => [
  { $match: { status: 'pending' } },
  { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
  { $group: { _id: '$endpointId', ...fields } },
];

/** A larger statement would delay other writes. */
const batchSize = 1_000;
/** Metrics must not keep the database server busy for longer. */
const lastAttempt = { log: { $slice: -1 } } as const;

@Injectable()
export class WebhookDeliveriesRepository {
  constructor(
    @InjectModel('WebhookDelivery')
    private readonly deliveries: CrossTenantModel<WebhookDeliveryDocument>,
    private readonly clock: Clock,
  ) {}

  async add(deliveries: readonly WebhookDeliveryDocument[]): Promise<void> {
    if (deliveries.length > 0) await this.deliveries.insertMany(deliveries, { lean: true });
  }

  async find(_id: Types.ObjectId): Promise<WebhookDeliveryDocument | null> {
    return this.deliveries.findOne({ _id }, null, acrossTenants).lean();
  }

  /** Returns deliveries with their last attempt only. */
  async search(
    organizationIds: readonly Types.ObjectId[],
    filter: Filter,
    limit: number,
  ): Promise<WebhookDeliveryDocument[]> {
    const scoped = { ...filter, organizationId: { $in: organizationIds } };
    return this.deliveries.find(scoped, lastAttempt, { limit }).lean();
  }

  /** Returns deliveries with their last attempt only. */
  async listPage(
    organizationId: Types.ObjectId,
    filter: Filter,
    part: KeysetRequest,
  ): Promise<KeysetPage<WebhookDeliveryDocument>> {
    const lastStages = [{ $set: { log: { $slice: ['$log', -1] } } }];
    return pageOf(this.deliveries, { ...filter, organizationId }, newestFirst, part, {
      lastStages,
    });
  }

  async count(organizationId: Types.ObjectId, filter: Filter): Promise<number> {
    return this.deliveries.countDocuments({ ...filter, organizationId });
  }

  /** Costs one seek. */
  async hasDue(now: Date): Promise<boolean> {
    const due = { status: 'pending', nextAttemptAt: { $lte: now } } as const;
    const options = { sort: { nextAttemptAt: 1 }, ...acrossTenants } as const;
    return (await this.deliveries.findOne(due, ['_id'], options).lean()) !== null;
  }

  /** Costs one seek for each endpoint with pending deliveries. */
  async findDueEndpoints(now: Date): Promise<DueEndpoint[]> {
    // Only an enabled endpoint can be paused: deliveries of a disabled one fail.
    const isPaused = { $and: [{ $eq: ['$isEnabled', true] }, { $gt: ['$pausedUntil', now] }] };
    const isReady = { $and: [isFreeEndpoint, { $not: [isPaused] }] };
    const endpoint = {
      from: 'webhookEndpoints',
      localField: '_id',
      foreignField: '_id',
      pipeline: [{ $project: { latencyClass: 1, isReady } }],
      as: 'endpoint',
    };
    const steps = [
      ...firstPerEndpoint({ dueAt: { $first: '$nextAttemptAt' } }),
      { $match: { dueAt: { $lte: now } } },
      { $lookup: endpoint },
      { $replaceWith: { $mergeObjects: [{ _id: '$_id' }, { $first: '$endpoint' }] } },
    ];
    return this.deliveries.aggregate<DueEndpoint>(steps).option(acrossTenants);
  }

  async findDue(endpointId: Types.ObjectId, now: Date, limit: number): Promise<DueDelivery[]> {
    const due = { status: 'pending', endpointId, nextAttemptAt: { $lte: now } } as const;
    const options = { sort: { nextAttemptAt: 1 }, limit, ...acrossTenants } as const;
    return this.deliveries.find<DueDelivery>(due, { log: 0 }, options).lean();
  }

  /** Can be repeated. An attempt of an earlier round is only logged. */
  async store(finished: readonly FinishedAttempt[]): Promise<void> {
    if (finished.length === 0) return;
    const write = () => {
      const updates = finished.map((each) => {
        const isNew = { 'log.startedAt': { $ne: each.result.startedAt } };
        const { _id, organizationId } = each.delivery;
        const filter = { _id, organizationId, ...isNew };
        return { updateOne: { filter, update: [attemptUpdate(each)], hint: { _id: 1 } } };
      }) as unknown as AnyBulkWriteOperation<WebhookDeliveryDocument>[];
      return this.deliveries.bulkWrite(updates, { ordered: false, throwOnValidationError: true });
    };
    await write().catch(write);
  }

  async fail(
    ids: readonly Types.ObjectId[],
    failureReason: FailureReason,
    now: Date,
  ): Promise<void> {
    if (ids.length === 0) return;
    await this.deliveries.updateMany(
      { _id: { $in: ids }, status: 'pending' },
      { $set: { status: 'failed', failureReason, completedAt: now, updatedAt: now } },
      acrossTenants,
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
    const waiting = { status: 'pending', endpointId, ...created } as const;
    const options = { limit: batchSize, ...acrossTenants };
    const found = await this.deliveries.find(waiting, ['_id'], options).lean();
    const ids = found.map(({ _id }) => _id);
    await this.fail(ids, reason, now);
    return ids.length === batchSize;
  }

  async isErased(_id: Types.ObjectId): Promise<boolean> {
    const erased = { _id, erasedAt: { $ne: null } };
    return (await this.deliveries.findOne(erased, ['_id'], acrossTenants).lean()) !== null;
  }

  /** Stops at a limit, at the deliveries that are due first. */
  async pendingCounts(endpointId: Types.ObjectId, limit: number): Promise<PendingCounts> {
    const counts = {
      count: { $sum: 1 },
      oldestAt: { $min: '$createdAt' },
      nextAttemptAt: { $min: '$nextAttemptAt' },
    };
    const [found] = await this.deliveries.aggregate<PendingCounts>(
      [
        { $match: { status: 'pending', endpointId } },
        { $sort: { nextAttemptAt: 1 } },
        { $limit: limit },
        { $group: { _id: null, ...counts } },
      ],
      acrossTenants as object,
    );
    return found ?? { count: 0, oldestAt: null, nextAttemptAt: null };
  }

  /** Omits test events, which are not sent again. */
  async countFailed({ _id: endpointId, organizationId }: Endpoint, limit: number): Promise<number> {
    const type = { $ne: pingType };
    const failed = { organizationId, endpointId, status: 'failed', type } as const;
    return this.deliveries.countDocuments(failed, { limit });
  }

  /** Counts attempts, not deliveries. */
  async *eraseResponses(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
  ): AsyncGenerator<BatchedUpdates, void> {
    let count = 0;
    const about = { objectId: { $in: objectIds } };
    const parts = batchedUpdatesOf(
      this.deliveries,
      organizationId,
      about,
      ({ log, erasedAt = null }) => {
        const answered = log.filter(({ response }) => response !== null).length;
        if (answered === 0 && erasedAt !== null) return null;
        count += answered;
        const removed = { 'log.$[].response': null, 'log.$[].redirectsTo': null };
        return { $set: { erasedAt: erasedAt ?? this.clock.now(), ...removed } };
      },
    );
    for await (const { write } of parts) {
      yield { count, write };
      count = 0;
    }
  }

  async countPending(endpointId: Types.ObjectId): Promise<number> {
    return this.deliveries.countDocuments({ status: 'pending', endpointId }, acrossTenants);
  }

  async backlog(now: Date): Promise<Backlog> {
    const due = { status: 'pending', nextAttemptAt: { $lte: now } } as const;
    return backlogOf(this.deliveries, due, 'nextAttemptAt', now, 'due');
  }
}

function unlessErased(values: Readonly<Record<string, string | null>>): object {
  const kept = Object.entries(values).map(([name, value]) => [
    name,
    { $cond: [{ $gt: ['$erasedAt', null] }, null, { $literal: value }] },
  ]);
  return Object.fromEntries(kept) as object;
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
  const $set: Record<string, unknown> = { log };
  for (const [field, value] of Object.entries(outcome)) {
    $set[field] = { $cond: [isCurrent, { $literal: value as unknown }, `$${field}`] };
  }
  return { $set };
}
