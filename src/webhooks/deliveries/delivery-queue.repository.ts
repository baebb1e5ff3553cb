import { Injectable } from '@nestjs/common';
import type { Collection, Document, Filter } from 'mongodb';
import type { Types } from 'mongoose';
import { refusedWrites } from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { openSession } from '../../core/database/transactions/sessions.js';
import type { BacklogCount } from '../../events/outbox/outbox-events.repository.js';
import type { AttemptResult, FailureReason, DeliveryOutcome } from './delivery-outcome.js';
import {
  type DeliveryAttempt,
  maxLoggedAttempts,
  type WebhookDeliveryDocument,
} from './webhook-delivery.schema.js';

export type DueDelivery = Omit<WebhookDeliveryDocument, 'log'>;

export interface FinishedAttempt {
  readonly delivery: DueDelivery;
  readonly url: string;
  readonly result: AttemptResult;
  readonly outcome: DeliveryOutcome;
  readonly now: Date;
}

interface WaitingEndpoint {
  readonly _id: Types.ObjectId;
  readonly organizationId: Types.ObjectId;
}

/** The first pending delivery of each endpoint, at one index seek each. */
const firstPerEndpoint = (fields: Document) => [
  { $match: { status: 'pending' } },
  { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
  { $group: { _id: '$endpointId', ...fields } },
];

/** Few enough for one statement not to delay others. */
const failBatchSize = 1_000;
const byId = { hint: { _id: 1 } } as const;
/** Metrics are not worth more of the server's time. */
const metricsTime = { maxTimeMS: 1_000 } as const;

@Injectable()
export class DeliveryQueueRepository {
  private readonly deliveries: Collection<WebhookDeliveryDocument>;

  constructor(
    @InjectAcrossTenants('WebhookDelivery')
    collection: CollectionAcrossTenants<WebhookDeliveryDocument>,
  ) {
    this.deliveries = collection.acrossTenants;
  }

  async insert(deliveries: readonly WebhookDeliveryDocument[]): Promise<void> {
    if (deliveries.length > 0) await this.deliveries.insertMany([...deliveries], openSession());
  }

  /** The endpoints with due deliveries; one seek when nothing is due, else one for each endpoint with pending ones. */
  async endpointsDue(now: Date): Promise<Types.ObjectId[]> {
    const due = { status: 'pending', nextAttemptAt: { $lte: now } } as const;
    const one = await this.deliveries.findOne(due, {
      sort: { nextAttemptAt: 1 },
      projection: { _id: 1 },
    });
    if (one === null) return [];
    const first = firstPerEndpoint({ dueAt: { $first: '$nextAttemptAt' } });
    const endpoints = await this.deliveries
      .aggregate<WaitingEndpoint>([...first, { $match: { dueAt: { $lte: now } } }])
      .toArray();
    return endpoints.map(({ _id }) => _id);
  }

  async findDue(endpointId: Types.ObjectId, now: Date, limit: number): Promise<DueDelivery[]> {
    return this.deliveries
      .find<DueDelivery>(
        { status: 'pending', endpointId, nextAttemptAt: { $lte: now } },
        { sort: { nextAttemptAt: 1 }, limit, projection: { log: 0 } },
      )
      .toArray();
  }

  /**
   * Stores the results of attempts, and may be repeated. An attempt of an earlier round is only logged.
   *
   * @returns the deliveries whose log entries the database refuses
   */
  async store(
    finished: readonly FinishedAttempt[],
  ): Promise<{ readonly _id: Types.ObjectId; readonly reason: string }[]> {
    const refused = await this.write(finished, true);
    // Stored without its entry in the log, the delivery is at least not attempted without end.
    if (refused.length > 0) {
      const rest = refused.flatMap(({ index }) => finished[index] ?? []);
      await this.write(rest, false);
    }
    return refused.flatMap(({ index, reason }) => {
      const _id = finished[index]?.delivery._id;
      return _id === undefined ? [] : { _id, reason };
    });
  }

  private async write(finished: readonly FinishedAttempt[], isLogged: boolean) {
    const operations = finished.map((each) => ({
      updateOne: {
        filter: {
          _id: each.delivery._id,
          'log.startedAt': { $ne: each.result.startedAt },
        },
        update: [updateOf(each, isLogged)],
        ...byId,
      },
    }));
    const once = () => refusedWrites(this.deliveries.bulkWrite(operations, { ordered: false }));
    return once().catch(once);
  }

  async fail(
    ids: readonly Types.ObjectId[],
    failureReason: FailureReason,
    now: Date,
  ): Promise<void> {
    await this.deliveries.updateMany(
      { _id: { $in: [...ids] }, status: 'pending' },
      { $set: { status: 'failed', failureReason, completedAt: now, updatedAt: now } },
    );
  }

  /**
   * Fails a thousand pending deliveries of an endpoint, created `until` then. A running attempt still counts if it
   * succeeds, and is not retried if it fails.
   *
   * @returns whether there may be more
   */
  async failWaiting(
    endpointId: Types.ObjectId,
    reason: FailureReason,
    now: Date,
    until?: Date,
  ): Promise<boolean> {
    const ofTime = until === undefined ? {} : { createdAt: { $lte: until } };
    const waiting: Filter<WebhookDeliveryDocument> = { status: 'pending', endpointId, ...ofTime };
    const found = await this.deliveries
      .find(waiting, { projection: { _id: 1 }, limit: failBatchSize })
      .toArray();
    const ids = found.map(({ _id }) => _id);
    if (ids.length > 0) await this.fail(ids, reason, now);
    return ids.length === failBatchSize;
  }

  async endpointsWaiting(): Promise<WaitingEndpoint[]> {
    const first = firstPerEndpoint({ organizationId: { $first: '$organizationId' } });
    return this.deliveries.aggregate<WaitingEndpoint>(first, metricsTime).toArray();
  }

  async due(now: Date, limit: number): Promise<BacklogCount> {
    const due = { status: 'pending', nextAttemptAt: { $lte: now } } as const;
    const oldest = await this.deliveries.findOne<Pick<WebhookDeliveryDocument, 'nextAttemptAt'>>(
      due,
      { ...metricsTime, sort: { nextAttemptAt: 1 }, projection: { nextAttemptAt: 1 } },
    );
    if (oldest === null) return { oldest: null, count: 0 };
    const count = await this.deliveries.countDocuments(due, { ...metricsTime, limit });
    return { oldest: oldest.nextAttemptAt, count };
  }
}

/** How the result of an attempt changes its delivery, whatever happened to the delivery meanwhile. */
function updateOf({ delivery, url, result, outcome, now }: FinishedAttempt, isLogged: boolean) {
  const { round, attempts } = delivery;
  const { retryAfter: _retryAfter, ...attempted } = result;
  const entry: DeliveryAttempt = { round, attempt: attempts + 1, url, ...attempted };
  // A response may contain personal data.
  const response = {
    $cond: [{ $gt: ['$erasedAt', null] }, null, { $literal: attempted.response }],
  };
  const logged = { $mergeObjects: [{ $literal: entry }, { response }] };
  const log = {
    $slice: [{ $concatArrays: [{ $ifNull: ['$log', []] }, [logged]] }, -maxLoggedAttempts],
  };
  const isCurrent = {
    $eq: [
      ['$round', '$attempts'],
      [round, attempts],
    ],
  };
  const $set: Document = isLogged ? { log } : {};
  for (const [field, value] of Object.entries(changesOf(outcome, attempts, now))) {
    $set[field] = { $cond: [isCurrent, { $literal: value as unknown }, `$${field}`] };
  }
  return { $set };
}

/** A retry does not change the status: the delivery may have failed meanwhile because its endpoint is off. */
function changesOf(
  outcome: DeliveryOutcome,
  attempts: number,
  now: Date,
): Partial<WebhookDeliveryDocument> {
  const attempted = { attempts: attempts + 1, updatedAt: now };
  if (outcome.status === 'pending') {
    return { ...attempted, nextAttemptAt: outcome.nextAttemptAt };
  }
  const failureReason = outcome.status === 'failed' ? outcome.reason : null;
  return { ...attempted, status: outcome.status, failureReason, completedAt: now };
}
