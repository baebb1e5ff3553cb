import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Document, MongoBulkWriteError } from 'mongodb';
import type { Model, Types } from 'mongoose';
import type { FailureReason } from './delivery-outcome.js';
import type { Lease } from '../outbox/outbox-events.repository.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** An endpoint with deliveries that wait, and when the first of them is due. */
export interface DueEndpoint {
  readonly _id: Types.ObjectId;
  readonly dueAt: Date;
}

/** What becomes of a leased delivery. */
export interface DeliveryUpdate {
  readonly _id: Types.ObjectId;
  readonly leaseOwner: string;
  readonly set: Partial<WebhookDeliveryDocument>;
}

const duplicateKeyCode = 11_000;
/** How many tries somebody else's claim on the same deliveries may cost before giving way. */
const claimTries = 3;
/** Among how many times the wanted number a claim chooses after a collision. */
const spread = 4;

/** The worker's queries on `webhookDeliveries`, over all organizations. */
@Injectable()
export class DeliveryQueueRepository {
  constructor(
    @InjectModel('WebhookDelivery') private readonly model: Model<WebhookDeliveryDocument>,
  ) {}

  /** Adds deliveries; those that are there already are left as they are. */
  async addMissing(deliveries: readonly WebhookDeliveryDocument[]): Promise<void> {
    if (deliveries.length === 0) return;
    try {
      await this.model.collection.insertMany([...deliveries], { ordered: false });
    } catch (error) {
      if (!isAllThereAlready(error)) throw error;
    }
  }

  /** Every endpoint that something waits for, at the cost of one index seek each. */
  async dueEndpoints(): Promise<DueEndpoint[]> {
    return this.model.collection
      .aggregate<DueEndpoint>([
        { $match: { status: 'pending' } },
        { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
        { $group: { _id: '$endpointId', dueAt: { $first: '$nextAttemptAt' } } },
      ])
      .toArray();
  }

  /**
   * Leases what is due at an endpoint, longest due first. Each delivery is leased by one caller only;
   * a lease that runs out makes it due again.
   *
   * @returns what was leased, and whether more may be due
   */
  async lease(
    endpointId: Types.ObjectId,
    lease: Lease,
    limit: number,
  ): Promise<{ leased: WebhookDeliveryDocument[]; hasMore: boolean }> {
    const due = { status: 'pending', endpointId, nextAttemptAt: { $lte: lease.from } };
    for (let attempt = 0; attempt < claimTries; attempt++) {
      const ids = await this.findDue(due, attempt === 0 ? limit : limit * spread);
      if (ids.length === 0) return { leased: [], hasMore: false };
      const leased = await this.leaseThese(due, lease, attempt === 0 ? ids : sample(ids, limit));
      if (leased.length > 0) return { leased, hasMore: ids.length >= limit };
    }
    return { leased: [], hasMore: true };
  }

  /** Stores what became of leased deliveries, where the lease is still the caller's. */
  async finish(updates: readonly DeliveryUpdate[]): Promise<void> {
    await this.model.collection.bulkWrite(
      updates.map(({ _id, leaseOwner, set }) => ({
        updateOne: { filter: { _id, leaseOwner }, update: { $set: { ...set, leaseOwner: null } } },
      })),
      { ordered: false },
    );
  }

  /** Gives up everything that waits for an endpoint and is not being tried at this moment. */
  async failWaiting(
    endpointId: Types.ObjectId,
    failureReason: FailureReason,
    now: Date,
  ): Promise<void> {
    await this.model.collection.updateMany(
      {
        status: 'pending',
        endpointId,
        $or: [{ leaseOwner: null }, { nextAttemptAt: { $lte: now } }],
      },
      {
        $set: {
          status: 'failed',
          failureReason,
          leaseOwner: null,
          completedAt: now,
          updatedAt: now,
        },
      },
    );
  }

  private async findDue(due: Document, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.model.collection
      .find(due, { projection: { _id: 1 } })
      .sort({ nextAttemptAt: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id);
  }

  private async leaseThese(
    due: Document,
    { owner, until }: Lease,
    ids: readonly Types.ObjectId[],
  ): Promise<WebhookDeliveryDocument[]> {
    const update = { $set: { leaseOwner: owner, nextAttemptAt: until } };
    await this.model.collection.updateMany({ ...due, _id: { $in: ids } }, update);
    return this.model.collection
      .find<WebhookDeliveryDocument>({ _id: { $in: ids }, leaseOwner: owner })
      .toArray();
  }
}

function isAllThereAlready(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false;
  return [error.writeErrors].flat().every(({ code }) => code === duplicateKeyCode);
}

/** Some of the items, so that those who collide once are unlikely to collide again. */
function sample<T>(items: readonly T[], size: number): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, size)
    .map(({ item }) => item);
}
