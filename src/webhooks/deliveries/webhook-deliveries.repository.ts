import { Injectable } from '@nestjs/common';
import type { Filter } from 'mongodb';
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
  readPage,
} from '../../core/database/documents/keyset.js';
import { withoutUndefined } from '../../core/values/plain-object.js';
import type { DeliveryStatus } from './delivery-outcome.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** Which deliveries of an organization are meant; what is left out does not restrict. */
export interface DeliveryFilter {
  readonly _id?: Types.ObjectId | undefined;
  readonly endpointId?: Types.ObjectId | undefined;
  readonly eventIds?: readonly Types.ObjectId[] | undefined;
  /** Ids of leads, clients, units or wallets. */
  readonly objectIds?: readonly string[] | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Few enough for one statement not to be in the way of the workers. */
const replayedTogether = 1_000;
/** Lists show the last attempt only. */
const listed = { log: { $slice: -1 } } as const;

/** The queries of the command line on `webhookDeliveries`. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(
    @InjectAcrossTenants('WebhookDelivery')
    private readonly deliveries: CollectionAcrossTenants<WebhookDeliveryDocument>,
  ) {}

  /** The delivery of an id, of any organization. */
  async findById(_id: Types.ObjectId): Promise<WebhookDeliveryDocument | null> {
    return this.deliveries.acrossTenants.findOne({ _id });
  }

  /** A page of deliveries with their last attempt, newest first. */
  async list(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    page: KeysetRequest,
  ): Promise<KeysetPage<WebhookDeliveryDocument>> {
    const wanted: Filter<WebhookDeliveryDocument> = { organizationId, ...conditions(filter) };
    return readPage(newestFirst, page, (after, { limit, sort }) =>
      this.deliveries.acrossTenants
        .find({ $and: [wanted, after] }, { limit, sort, projection: listed })
        .toArray(),
    );
  }

  async count(organizationId: Types.ObjectId, filter: DeliveryFilter): Promise<number> {
    return this.deliveries.count(organizationId, conditions(filter));
  }

  /** The rewrites of the deliveries about objects, as `rewriteOf` decides them. */
  rewritesAbout(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    rewriteOf: (delivery: WebhookDeliveryDocument) => Rewrite<WebhookDeliveryDocument> | null,
  ): AsyncGenerator<PreparedRewrites, void> {
    return rewritesOf(this.deliveries, organizationId, { objectId: { $in: objectIds } }, rewriteOf);
  }

  /** The ids of the deliveries that match and are not part of a replay yet, in batches, oldest first. */
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
   * Starts a new round for the deliveries that match, once in a replay. An attempt that is under way stays one
   * of the round before it.
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
      },
      {
        $set: {
          status: 'pending',
          failureReason: null,
          attempts: 0,
          nextAttemptAt: now,
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

function conditions({ eventIds, objectIds, since, until, ...equal }: DeliveryFilter) {
  const createdAt = withoutUndefined({ $gte: since, $lt: until });
  return withoutUndefined({
    ...equal,
    eventId: eventIds && { $in: eventIds },
    objectId: objectIds && { $in: objectIds },
    createdAt: Object.keys(createdAt).length > 0 ? createdAt : undefined,
  });
}
