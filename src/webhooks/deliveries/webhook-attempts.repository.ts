import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { rewritesOf, type PreparedRewrites } from '../../core/database/documents/rewrites.js';
import {
  type RefusedWrite,
  refusedWrites,
} from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import type { WebhookAttemptDocument } from './webhook-attempt.schema.js';

/** The queries on `webhookAttempts`. */
@Injectable()
export class WebhookAttemptsRepository {
  constructor(
    @InjectAcrossTenants('WebhookAttempt')
    private readonly attempts: CollectionAcrossTenants<WebhookAttemptDocument>,
  ) {}

  /** @returns those that the database refuses as they are; the others were added */
  async insert(attempts: readonly WebhookAttemptDocument[]): Promise<RefusedWrite[]> {
    return refusedWrites(this.attempts.acrossTenants.insertMany([...attempts], { ordered: false }));
  }

  /** Removes what receivers have answered to deliveries. */
  async forgetResponses(
    organizationId: Types.ObjectId,
    deliveryIds: readonly Types.ObjectId[],
  ): Promise<void> {
    const filter = { organizationId, deliveryId: { $in: [...deliveryIds] } };
    await this.attempts.acrossTenants.updateMany(filter, { $set: { response: null } });
  }

  /** How the attempts of deliveries become without what receivers have answered. */
  rewritesOfResponses(
    organizationId: Types.ObjectId,
    deliveryIds: readonly Types.ObjectId[],
  ): AsyncGenerator<PreparedRewrites, void> {
    const filter = { deliveryId: { $in: deliveryIds }, response: { $ne: null } };
    return rewritesOf(this.attempts, organizationId, filter, () => ({
      update: { $set: { response: null } },
    }));
  }

  /** The attempts of a delivery that began last, newest first. */
  async latestOfDelivery(
    organizationId: Types.ObjectId,
    deliveryId: Types.ObjectId,
    limit: number,
  ): Promise<WebhookAttemptDocument[]> {
    const sort = { startedAt: -1 } as const;
    return this.attempts.find(organizationId, { deliveryId }, { sort, limit });
  }

  /** All attempts of a delivery, in their order. */
  async listOfDelivery(
    organizationId: Types.ObjectId,
    deliveryId: Types.ObjectId,
  ): Promise<WebhookAttemptDocument[]> {
    const sort = { startedAt: 1, _id: 1 } as const;
    return this.attempts.find(organizationId, { deliveryId }, { sort });
  }
}
