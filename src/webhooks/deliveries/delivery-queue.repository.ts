import { Injectable } from '@nestjs/common';
import type { Collection, Document, Filter } from 'mongodb';
import type { Types } from 'mongoose';
import { refusedWrites } from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { openSession } from '../../core/database/transactions/open-session.js';
import type { Waiting } from '../../events/outbox/outbox-events.repository.js';
import type { AttemptResult, FailureReason, Outcome } from './delivery-outcome.js';
import {
  type DeliveryAttempt,
  mostLogged,
  type WebhookDeliveryDocument,
} from './webhook-delivery.schema.js';

/** A delivery without its attempts. */
export type DueDelivery = Omit<WebhookDeliveryDocument, 'log'>;

/** An attempt of a delivery that has a result. */
export interface FinishedAttempt {
  readonly delivery: DueDelivery;
  readonly url: string;
  readonly result: AttemptResult;
  readonly outcome: Outcome;
  readonly now: Date;
}

/** An endpoint that something waits for, and whose it is. */
interface WaitingEndpoint {
  readonly _id: Types.ObjectId;
  readonly organizationId: Types.ObjectId;
}

/** One document for each endpoint that something waits for, of its first delivery, at one index seek each. */
const firstOfEach = (fields: Document) => [
  { $match: { status: 'pending' } },
  { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
  { $group: { _id: '$endpointId', ...fields } },
];

/** Few enough for one statement not to be in the way of others. */
export const failedTogether = 1_000;
/** Spares the server the trial of all indexes. */
const byId = { hint: { _id: 1 } } as const;
/** Metrics are not worth more of the server's time. */
const metricsTime = { maxTimeMS: 1_000 } as const;

/** The queries of relay and worker on `webhookDeliveries`, over all organizations. */
@Injectable()
export class DeliveryQueueRepository {
  private readonly deliveries: Collection<WebhookDeliveryDocument>;

  constructor(
    @InjectAcrossTenants('WebhookDelivery')
    collection: CollectionAcrossTenants<WebhookDeliveryDocument>,
  ) {
    this.deliveries = collection.acrossTenants;
  }

  /** Adds deliveries in the transaction that is open around it. */
  async insert(deliveries: readonly WebhookDeliveryDocument[]): Promise<void> {
    if (deliveries.length > 0) await this.deliveries.insertMany([...deliveries], openSession());
  }

  /**
   * The endpoints that have something due. Costs one seek where nothing is due, else one for each endpoint
   * that something waits for.
   */
  async endpointsDue(now: Date): Promise<Types.ObjectId[]> {
    const due = { status: 'pending', nextAttemptAt: { $lte: now } } as const;
    const one = await this.deliveries.findOne(due, {
      sort: { nextAttemptAt: 1 },
      projection: { _id: 1 },
    });
    if (one === null) return [];
    const first = firstOfEach({ dueAt: { $first: '$nextAttemptAt' } });
    const endpoints = await this.deliveries
      .aggregate<WaitingEndpoint>([...first, { $match: { dueAt: { $lte: now } } }])
      .toArray();
    return endpoints.map(({ _id }) => _id);
  }

  /** What is due at an endpoint, longest due first. */
  async findDue(endpointId: Types.ObjectId, now: Date, limit: number): Promise<DueDelivery[]> {
    return this.deliveries
      .find<DueDelivery>(
        { status: 'pending', endpointId, nextAttemptAt: { $lte: now } },
        { sort: { nextAttemptAt: 1 }, limit, projection: { log: 0 } },
      )
      .toArray();
  }

  /**
   * Stores the results of attempts. An attempt of an earlier round is only logged, and one that is stored
   * already changes nothing, so that this may be repeated.
   *
   * @returns the ids of deliveries whose results the database refuses, with its reasons
   */
  async store(
    finished: readonly FinishedAttempt[],
  ): Promise<{ readonly _id: Types.ObjectId; readonly reason: string }[]> {
    const write = (some: readonly FinishedAttempt[], isLogged: boolean) => {
      const operations = some.map((each) => ({
        updateOne: {
          filter: { _id: each.delivery._id },
          update: [updateOf(each, isLogged)],
          ...byId,
        },
      }));
      const options = { ordered: false } as const;
      const once = () => refusedWrites(this.deliveries.bulkWrite(operations, options));
      return once().catch(once);
    };
    const refused = await write(finished, true);
    if (refused.length === 0) return [];
    // Without its entry in the log a delivery may be stored, so that it is not attempted without end.
    const rest = refused.flatMap(({ index }) => finished[index] ?? []);
    await write(rest, false);
    return refused.flatMap(({ index, reason }) => {
      const _id = finished[index]?.delivery._id;
      return _id === undefined ? [] : { _id, reason };
    });
  }

  /** Fails deliveries for good that cannot be sent. */
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
   * Fails up to a thousand deliveries that wait for an endpoint. Of an attempt that is under way a success
   * still counts, and after a failure there is no further one.
   *
   * @param until when they were created at the latest; all by default
   * @returns how many; 0 when nothing waits any more
   */
  async failWaiting(
    endpointId: Types.ObjectId,
    reason: FailureReason,
    now: Date,
    until?: Date,
  ): Promise<number> {
    const ofTime = until === undefined ? {} : { createdAt: { $lte: until } };
    const waiting: Filter<WebhookDeliveryDocument> = { status: 'pending', endpointId, ...ofTime };
    const found = await this.deliveries
      .find(waiting, { projection: { _id: 1 }, limit: failedTogether })
      .toArray();
    const ids = found.map(({ _id }) => _id);
    if (ids.length > 0) await this.fail(ids, reason, now);
    return ids.length;
  }

  /** Fails all that waits for an endpoint, batch by batch. */
  async failAllWaiting(
    endpointId: Types.ObjectId,
    reason: FailureReason,
    now: Date,
  ): Promise<void> {
    while ((await this.failWaiting(endpointId, reason, now)) > 0);
  }

  /** Every endpoint that something waits for. */
  async endpointsWaiting(): Promise<WaitingEndpoint[]> {
    const first = firstOfEach({ organizationId: { $first: '$organizationId' } });
    return this.deliveries.aggregate<WaitingEndpoint>(first, metricsTime).toArray();
  }

  /** How many deliveries wait for an endpoint, counted up to a number where one is given. */
  async countWaiting(endpointId: Types.ObjectId, limit?: number): Promise<number> {
    const options = limit === undefined ? {} : { ...metricsTime, limit };
    return this.deliveries.countDocuments({ status: 'pending', endpointId }, options);
  }

  /**
   * The deliveries that are due.
   *
   * @param limit most that are counted
   */
  async due(now: Date, limit: number): Promise<Waiting> {
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
  const isCurrent = { $and: [{ $eq: ['$round', round] }, { $eq: ['$attempts', attempts] }] };
  const { retryAfter: _retryAfter, ...attempted } = result;
  const { startedAt, response } = attempted;
  const entry: DeliveryAttempt = { round, attempt: attempts + 1, url, ...attempted };
  const isStored = { $in: [startedAt, { $ifNull: ['$log.startedAt', []] }] };
  const before = { $ifNull: ['$log', []] };
  // A receiver may answer with what it knows of a person.
  const kept = { $cond: [{ $gt: ['$erasedAt', null] }, null, { $literal: response }] };
  const logged = { $concatArrays: [before, [{ ...literals(entry), response: kept }]] };
  const log = { $cond: [isStored, before, { $slice: [logged, -mostLogged] }] };
  const $set: Document = isLogged ? { log } : {};
  for (const [field, value] of Object.entries(changesOf(outcome, attempts, now))) {
    $set[field] = { $cond: [isCurrent, { $literal: value as unknown }, `$${field}`] };
  }
  return { $set };
}

/** A retry leaves the status: the delivery may have failed meanwhile because its endpoint is off. */
function changesOf(
  outcome: Outcome,
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

function literals(entry: object): Document {
  return Object.fromEntries(
    Object.entries(entry).map(([field, value]) => [field, { $literal: value as unknown }]),
  );
}
