import { Injectable } from '@nestjs/common';
import type { Document, Filter } from 'mongodb';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { DeliveryStatus } from './delivery-outcome.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** Which deliveries of an organization are meant; what is left out does not restrict. */
export interface DeliveryFilter {
  readonly endpointId?: Types.ObjectId;
  /** Ids of leads, clients, units or wallets. */
  readonly objectIds?: readonly string[];
  readonly status?: DeliveryStatus;
  readonly type?: string;
  readonly since?: Date;
  readonly until?: Date;
}

/** A delivery without its body, which may be large. */
export type ListedDelivery = Omit<WebhookDeliveryDocument, 'body'>;

/** The queries on `webhookDeliveries` that look at one organization. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(
    @InjectCollection('WebhookDelivery')
    private readonly deliveries: TenantCollection<WebhookDeliveryDocument>,
  ) {}

  async insert(delivery: WebhookDeliveryDocument): Promise<void> {
    await this.deliveries.insert(delivery);
  }

  /** The delivery of an id, whoever's it is: the operator sees all organizations. */
  async findById(_id: Types.ObjectId): Promise<WebhookDeliveryDocument | null> {
    return this.deliveries.acrossTenants.findOne<WebhookDeliveryDocument>({ _id });
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

  async countPending(endpointId: Types.ObjectId): Promise<number> {
    return this.deliveries.acrossTenants.countDocuments({ status: 'pending', endpointId });
  }

  /**
   * Starts a new round for what matches, except for what is being tried at this moment.
   *
   * @returns how many deliveries were put back
   */
  async startRound(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter & { readonly _id?: Types.ObjectId },
    now: Date,
  ): Promise<number> {
    const { _id } = filter;
    const result = await this.deliveries.acrossTenants.updateMany(
      {
        organizationId,
        ...conditions(filter),
        ...(_id === undefined ? {} : { _id }),
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
          updatedAt: now,
        },
        $inc: { round: 1 },
      },
    );
    return result.modifiedCount;
  }
}

function conditions(filter: DeliveryFilter): Filter<Document> & { organizationId?: never } {
  const { endpointId, objectIds, status, type, since, until } = filter;
  const createdAt = {
    ...(since === undefined ? {} : { $gte: since }),
    ...(until === undefined ? {} : { $lt: until }),
  };
  return {
    ...(endpointId === undefined ? {} : { endpointId }),
    ...(objectIds === undefined ? {} : { objectId: { $in: objectIds } }),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }),
  };
}
