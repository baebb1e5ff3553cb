import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
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

/** A delivery without its body, which may be large. */
export type ListedDelivery = Omit<WebhookDeliveryDocument, 'body'>;

/** The queries of the command line on `webhookDeliveries`. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(
    @InjectCollection('WebhookDelivery')
    private readonly deliveries: TenantCollection<WebhookDeliveryDocument>,
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

  async countPending(endpointId: Types.ObjectId): Promise<number> {
    return this.deliveries.acrossTenants.countDocuments({ status: 'pending', endpointId });
  }

  /**
   * Starts a new round for what matches, except for what is being attempted now.
   *
   * @returns how many deliveries were put back
   */
  async startRound(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    now: Date,
  ): Promise<number> {
    const result = await this.deliveries.acrossTenants.updateMany(
      {
        organizationId,
        ...conditions(filter),
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

function conditions({ objectIds, since, until, ...equal }: DeliveryFilter) {
  const createdAt = withoutUndefined({ $gte: since, $lt: until });
  return withoutUndefined({
    ...equal,
    objectId: objectIds && { $in: objectIds },
    createdAt: Object.keys(createdAt).length > 0 ? createdAt : undefined,
  });
}

function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> };
}
