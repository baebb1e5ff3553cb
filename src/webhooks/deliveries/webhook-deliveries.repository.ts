import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import {
  rewritesOf,
  type PreparedRewrites,
  type Rewrite,
} from '../../core/database/documents/rewrites.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import { withoutUndefined } from '../../core/values/plain-object.js';
import type { DeliveryStatus } from './delivery-outcome.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** Which deliveries of an organization are meant; what is left out does not restrict. */
export interface DeliveryFilter {
  readonly _id?: Types.ObjectId | undefined;
  readonly endpointId?: Types.ObjectId | undefined;
  /** Ids of leads, clients, units or wallets. */
  readonly objectIds?: readonly string[] | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Few enough for one statement not to be in the way of the workers. */
const replayedTogether = 1_000;
/** Figures are not worth more of the server's time. */
const figuresTime = { maxTimeMS: 1_000 } as const;
/** How many ids are read together. */
const idsTogether = 1_000;

/** A delivery without its body, which may be large. */
export type ListedDelivery = Omit<WebhookDeliveryDocument, 'body'>;

/** The queries of the command line on `webhookDeliveries`. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(
    @InjectAcrossTenants('WebhookDelivery')
    private readonly deliveries: CollectionAcrossTenants<WebhookDeliveryDocument>,
  ) {}

  async insert(delivery: WebhookDeliveryDocument): Promise<void> {
    await this.deliveries.insert(delivery);
  }

  /** The delivery of an id, of any organization. */
  async findById(_id: Types.ObjectId): Promise<WebhookDeliveryDocument | null> {
    return this.deliveries.acrossTenants.findOne({ _id });
  }

  /** What matches, newest first. */
  async list(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    limit: number,
  ): Promise<ListedDelivery[]> {
    const sort = { createdAt: -1, _id: -1 } as const;
    return this.deliveries.find(organizationId, conditions(filter), {
      without: ['body'],
      sort,
      limit,
    });
  }

  /** A part of what matches, newest first. */
  async listPart(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedDelivery>> {
    const without = ['body'] as const;
    return this.deliveries.page(organizationId, conditions(filter), newestFirst, part, { without });
  }

  /** The deliveries of events, to whichever endpoints. */
  async listOfEvents(
    organizationId: Types.ObjectId,
    eventIds: readonly Types.ObjectId[],
    limit: number,
  ): Promise<ListedDelivery[]> {
    if (eventIds.length === 0) return [];
    const filter = { eventId: { $in: eventIds } };
    return this.deliveries.find(organizationId, filter, { without: ['body'], limit });
  }

  async countPending(endpointId: Types.ObjectId): Promise<number> {
    return this.deliveries.acrossTenants.countDocuments({ status: 'pending', endpointId });
  }

  /** Every endpoint that something waits for, at the cost of one index seek for each. */
  async endpointsWaiting(): Promise<Types.ObjectId[]> {
    const waiting = { status: 'pending' } as const;
    return this.deliveries.acrossTenants.distinct('endpointId', waiting, figuresTime);
  }

  /** As {@link countPending}, counted up to a number only. */
  async countWaiting(endpointId: Types.ObjectId, limit: number): Promise<number> {
    const waiting = { status: 'pending', endpointId } as const;
    return this.deliveries.acrossTenants.countDocuments(waiting, { limit, ...figuresTime });
  }

  async count(organizationId: Types.ObjectId, filter: DeliveryFilter): Promise<number> {
    return this.deliveries.count(organizationId, conditions(filter));
  }

  /** What becomes of the deliveries about objects, as `rewriteOf` decides it. */
  rewritesAbout(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    rewriteOf: (delivery: WebhookDeliveryDocument) => Rewrite<WebhookDeliveryDocument> | null,
  ): AsyncGenerator<PreparedRewrites, void> {
    return rewritesOf(this.deliveries, organizationId, { objectId: { $in: objectIds } }, rewriteOf);
  }

  /** The ids of the deliveries about objects, in batches. */
  async *idsAbout(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
  ): AsyncGenerator<Types.ObjectId[], void> {
    let after: Types.ObjectId | undefined;
    do {
      const behind = after === undefined ? {} : { _id: { $gt: after } };
      const found = await this.deliveries.find(
        organizationId,
        { objectId: { $in: objectIds }, ...behind },
        { sort: { _id: 1 }, limit: idsTogether, fields: ['_id'] },
      );
      if (found.length > 0) yield found.map(({ _id }) => _id);
      after = found.length < idsTogether ? undefined : found.at(-1)?._id;
    } while (after !== undefined);
  }

  /** The ids of what matches and is not part of a replay yet, in batches, oldest first. */
  async *batchesToReplay(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    replayRun: Date,
  ): AsyncGenerator<Types.ObjectId[], void> {
    let ids: Types.ObjectId[] = [];
    const cursor = this.deliveries.acrossTenants.find(
      { organizationId, ...conditions(filter), replayRun: { $ne: replayRun } },
      { projection: { _id: 1 }, sort: { createdAt: 1, _id: 1 }, batchSize: replayedTogether },
    );
    for await (const { _id } of cursor) {
      ids.push(_id);
      if (ids.length < replayedTogether) continue;
      yield ids;
      ids = [];
    }
    if (ids.length > 0) yield ids;
  }

  /**
   * Starts a new round for those that match, once in a replay and not for what is being attempted
   * now.
   *
   * @returns how many deliveries were put back
   */
  async startRound(
    ids: readonly Types.ObjectId[],
    filter: DeliveryFilter,
    replayRun: Date,
    now: Date,
  ): Promise<number> {
    const result = await this.deliveries.acrossTenants.updateMany(
      {
        ...conditions(filter),
        _id: { $in: ids },
        replayRun: { $ne: replayRun },
        $or: [{ leaseOwner: null }, { nextAttemptAt: { $lte: now } }],
      },
      {
        $set: {
          status: 'pending',
          failureReason: null,
          attempts: 0,
          nextAttemptAt: now,
          leaseOwner: null,
          completedAt: null,
          replayRun,
          updatedAt: now,
        },
        $inc: { round: 1 },
      },
    );
    return result.modifiedCount;
  }
}

function conditions({ objectIds, since, until, ...equal }: DeliveryFilter) {
  const createdAt = withoutUndefined({ $gte: since, $lt: until });
  return withoutUndefined({
    ...equal,
    objectId: objectIds && { $in: objectIds },
    createdAt: Object.keys(createdAt).length > 0 ? createdAt : undefined,
  });
}
