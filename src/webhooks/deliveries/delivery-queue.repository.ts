import { Injectable } from '@nestjs/common';
import type { Collection, Filter } from 'mongodb';
import type { Types } from 'mongoose';
import {
  duplicateKeyCode,
  isDatabaseUnavailable,
  type RefusedWrite,
  refusedWrites,
} from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import type { Waiting } from '../../events/outbox/outbox-events.repository.js';
import { firstWhile, sample } from './choices.js';
import type { Budget, DeliveryUpdate, Lease, SizedDelivery } from './delivery-documents.js';
import type { FailureReason } from './delivery-outcome.js';
import type { OutboxEventDocument } from '../../events/outbox/outbox-event.schema.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** A delivery that is due, as it is before the lease; a large one lacks its body. */
type DueDelivery = Omit<WebhookDeliveryDocument, 'body'> & {
  readonly body: string | null;
  readonly bytes: number;
};

/** A delivery that cannot be stored, and why. */
export interface RefusedDelivery {
  readonly delivery: WebhookDeliveryDocument;
  readonly reason: string;
}

/** What became of updates of leased deliveries. */
interface Finished {
  readonly refused: readonly RefusedWrite[];
  readonly hasFoundAll: boolean;
}

/** Few enough for one statement not to be in the way of others. */
const failedTogether = 1_000;
/** What costs nothing of a budget is read together with what is due, and not once more. */
export const freeBytes = 65_536;
/** Spares the server the trial of all indexes. */
const byId = { hint: { _id: 1 } } as const;
/** Figures for metrics are not worth more of the server's time. */
const figuresTimeMs = 1_000;
/** How many times a worker attempts to lease deliveries that others lease concurrently. */
const claimAttempts = 3;
/** Among how many times the wanted number a worker chooses after a collision. */
const collisionSampleFactor = 4;

/** The queries of the relay and the worker on `webhookDeliveries`, over all organizations. */
@Injectable()
export class DeliveryQueueRepository {
  private readonly deliveries: Collection<WebhookDeliveryDocument>;

  constructor(
    @InjectAcrossTenants('WebhookDelivery')
    collection: CollectionAcrossTenants<WebhookDeliveryDocument>,
  ) {
    this.deliveries = collection.acrossTenants;
  }

  /**
   * Adds deliveries; those that are there already are left as they are.
   *
   * @returns those that the database refuses as they are, with its reason
   */
  async addMissing(deliveries: readonly WebhookDeliveryDocument[]): Promise<RefusedDelivery[]> {
    if (deliveries.length === 0) return [];
    const refused = await refusedWrites(
      this.deliveries.insertMany([...deliveries], { ordered: false }),
    );
    return refused.flatMap(({ index, code, reason }) => {
      const delivery = deliveries[index];
      return code === duplicateKeyCode || delivery === undefined ? [] : [{ delivery, reason }];
    });
  }

  /** Every endpoint with something due, at the cost of one index seek for each that waits. */
  async endpointsDue(now: Date): Promise<Types.ObjectId[]> {
    const endpoints = await this.deliveries
      .aggregate<{ readonly _id: Types.ObjectId }>([
        { $match: { status: 'pending' } },
        { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
        { $group: { _id: '$endpointId', dueAt: { $first: '$nextAttemptAt' } } },
        { $match: { dueAt: { $lte: now } } },
      ])
      .toArray();
    return endpoints.map(({ _id }) => _id);
  }

  /**
   * The endpoints of the deliveries that became due after a time, at the cost of these deliveries.
   *
   * @param limit of deliveries
   * @returns whether there may be others, too
   */
  async endpointsDueSince(
    since: Date,
    now: Date,
    limit: number,
  ): Promise<{ endpointIds: Types.ObjectId[]; hasMore: boolean }> {
    const endpoints = await this.deliveries
      .aggregate<{ readonly _id: Types.ObjectId; readonly count: number }>([
        { $match: { status: 'pending', nextAttemptAt: { $gt: since, $lte: now } } },
        { $sort: { status: 1, nextAttemptAt: 1 } },
        { $limit: limit },
        { $group: { _id: '$endpointId', count: { $sum: 1 } } },
      ])
      .toArray();
    const total = endpoints.reduce((sum, { count }) => sum + count, 0);
    return { endpointIds: endpoints.map(({ _id }) => _id), hasMore: total >= limit };
  }

  /**
   * The deliveries that are due and that no worker holds.
   *
   * @param limit most that are counted
   */
  async due(now: Date, limit: number): Promise<Waiting> {
    const due = { status: 'pending', nextAttemptAt: { $lte: now } } as const;
    const options = { maxTimeMS: figuresTimeMs } as const;
    const oldest = await this.deliveries.findOne<Pick<WebhookDeliveryDocument, 'nextAttemptAt'>>(
      due,
      { ...options, sort: { nextAttemptAt: 1 }, projection: { nextAttemptAt: 1 } },
    );
    if (oldest === null) return { oldest: null, count: 0 };
    const count = await this.deliveries.countDocuments(due, { ...options, limit });
    return { oldest: oldest.nextAttemptAt, count };
  }

  /**
   * Leases what is due at an endpoint, longest due first. Each delivery is leased by one caller only;
   * when its lease ends it is due again.
   *
   * @param budget pays for what is leased; what it cannot pay for stays due and does not count as more
   * @returns what was leased, whether more may be due, and whether the budget left something behind
   */
  async lease(
    endpointId: Types.ObjectId,
    lease: Lease,
    limit: number,
    budget: Budget,
  ): Promise<{ leased: SizedDelivery[]; hasMore: boolean; isCut: boolean }> {
    const due: Filter<WebhookDeliveryDocument> = {
      status: 'pending',
      endpointId,
      nextAttemptAt: { $lte: lease.from },
    };
    for (let attempt = 0; attempt < claimAttempts; attempt++) {
      const found = await this.findDue(due, attempt === 0 ? limit : limit * collisionSampleFactor);
      const wanted = attempt === 0 ? found : sample(found, limit);
      const affordable = firstWhile(wanted, ({ bytes }) => budget.take(bytes));
      const isCut = affordable.length < wanted.length;
      if (affordable.length === 0) return { leased: [], hasMore: false, isCut };
      const leased = await this.leasePaid(due, lease, affordable, budget);
      if (leased.length > 0) return { leased, hasMore: !isCut && found.length >= limit, isCut };
    }
    return { leased: [], hasMore: true, isCut: false };
  }

  /**
   * Updates leased deliveries and ends their leases, where the lease is still the caller's. What
   * changes in the same way is changed by one statement.
   *
   * @param areErased whether they are deliveries of which something was removed; no other one is updated
   * @returns those that the database refuses as they are, and whether it has found all the others
   */
  async finish(updates: readonly DeliveryUpdate[], areErased = false): Promise<Finished> {
    if (updates.length === 0) return { refused: [], hasFoundAll: true };
    const numbered = updates.map((update, index) => ({ index, ...update }));
    const groups = [...Map.groupBy(numbered, ({ set }) => set).values()];
    const { refused, found } = await this.finishGroups(groups, areErased);
    const alone = refused.flatMap(({ index }) => groups[index] ?? []).map((update) => [update]);
    if (alone.length === 0) return { refused: [], hasFoundAll: found === updates.length };
    // One of a group keeps those behind it from being stored.
    const { refused: refusedAlone } = await this.finishGroups(alone, areErased);
    const byUpdate = refusedAlone.map(({ index, ...why }) => ({
      ...why,
      index: alone[index]?.[0]?.index ?? 0,
    }));
    return { refused: byUpdate, hasFoundAll: false };
  }

  /** Those of the deliveries of which something was removed (rule LEAD-15). */
  async findErased(
    ids: readonly Types.ObjectId[],
  ): Promise<Pick<WebhookDeliveryDocument, '_id' | 'organizationId'>[]> {
    const filter = { _id: { $in: [...ids] }, erasedAt: { $ne: null } };
    return this.deliveries.find(filter, { projection: { organizationId: 1 } }).toArray();
  }

  /**
   * Gives all deliveries of an event of which something was removed the body that is left.
   *
   * @returns their ids
   */
  async eraseDeliveriesOf(
    { organizationId, _id: eventId, erasedAt }: OutboxEventDocument,
    body: string,
  ): Promise<Types.ObjectId[]> {
    const filter = { organizationId, eventId };
    await this.deliveries.updateMany(filter, { $set: { body, erasedAt: erasedAt ?? null } });
    const found = await this.deliveries.find(filter, { projection: { _id: 1 } }).toArray();
    return found.map(({ _id }) => _id);
  }

  /**
   * Fails up to a thousand deliveries that wait for an endpoint. One that is being attempted keeps
   * its lease: a success of that attempt still counts, and after a failure there is no further one.
   *
   * @param until when they were created at the latest; all by default
   * @returns how many; 0 when nothing waits any more
   */
  async failWaiting(
    endpointId: Types.ObjectId,
    failureReason: FailureReason,
    now: Date,
    until?: Date,
  ): Promise<number> {
    const ofTime = until === undefined ? {} : { createdAt: { $lte: until } };
    const waiting: Filter<WebhookDeliveryDocument> = { status: 'pending', endpointId, ...ofTime };
    const found = await this.deliveries
      .find(waiting, { projection: { _id: 1 }, limit: failedTogether })
      .toArray();
    if (found.length === 0) return 0;
    await this.deliveries.updateMany(
      { ...waiting, _id: { $in: found.map(({ _id }) => _id) } },
      { $set: { status: 'failed', failureReason, completedAt: now, updatedAt: now } },
    );
    return found.length;
  }

  private async finishGroups(
    groups: readonly (readonly DeliveryUpdate[])[],
    areErased: boolean,
  ): Promise<{ readonly refused: RefusedWrite[]; readonly found: number }> {
    const operations = groups.map((updates) => ({
      updateMany: {
        filter: {
          _id: { $in: updates.map(({ _id }) => _id) },
          leaseOwner: { $in: [...new Set(updates.map(({ leaseOwner }) => leaseOwner))] },
          erasedAt: areErased ? { $ne: null } : null,
        },
        update: { $set: { ...updates[0]?.set, leaseOwner: null } },
        ...byId,
      },
    }));
    const write = () => this.deliveries.bulkWrite(operations, { ordered: false });
    // The driver repeats no statement for many. What it has changed has no lease any more.
    const written = write().catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) return write();
      throw error;
    });
    let found = 0;
    const refused = await refusedWrites(written.then(({ matchedCount }) => (found = matchedCount)));
    return { refused, found };
  }

  private async findDue(
    due: Filter<WebhookDeliveryDocument>,
    limit: number,
  ): Promise<DueDelivery[]> {
    const body = { $cond: [{ $lte: ['$bytes', freeBytes] }, '$body', null] };
    return this.deliveries
      .aggregate<DueDelivery>([
        { $match: due },
        { $sort: { nextAttemptAt: 1 } },
        { $limit: limit },
        { $set: { bytes: { $bsonSize: '$$ROOT' } } },
        { $set: { body } },
      ])
      .toArray();
  }

  /** Leases what was paid for; what another worker was quicker with is paid back. */
  private async leasePaid(
    due: Filter<WebhookDeliveryDocument>,
    lease: Lease,
    paid: readonly DueDelivery[],
    budget: Budget,
  ): Promise<SizedDelivery[]> {
    const unused = new Map(paid.map(({ _id, bytes }) => [_id.toHexString(), bytes]));
    try {
      const leased = await this.leaseFound(due, lease, paid);
      return leased.map((delivery) => {
        const key = delivery._id.toHexString();
        const bytes = unused.get(key) ?? 0;
        unused.delete(key);
        return { delivery, bytes };
      });
    } finally {
      for (const bytes of unused.values()) budget.release(bytes);
    }
  }

  private async leaseFound(
    due: Filter<WebhookDeliveryDocument>,
    { owner, until }: Lease,
    found: readonly DueDelivery[],
  ): Promise<WebhookDeliveryDocument[]> {
    const ids = found.map(({ _id }) => _id);
    const claim = { leaseOwner: owner, nextAttemptAt: until };
    const { modifiedCount } = await this.deliveries.updateMany(
      { ...due, _id: { $in: ids } },
      { $set: claim },
      byId,
    );
    const whole = found.flatMap(({ bytes: _bytes, body, ...fields }) =>
      body === null ? [] : { ...fields, body, ...claim },
    );
    // Nothing can have changed what was found due and is leased now.
    if (modifiedCount === ids.length && whole.length === ids.length) return whole;
    return this.deliveries
      .find<WebhookDeliveryDocument>({ _id: { $in: ids }, leaseOwner: owner }, byId)
      .toArray();
  }
}
