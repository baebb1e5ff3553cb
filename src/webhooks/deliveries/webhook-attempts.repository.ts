import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type RefusedWrite, refusedWrites } from '../../database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../database/documents/across-tenants.js';
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

  /** All attempts of a delivery, in their order. */
  async listOfDelivery(
    organizationId: Types.ObjectId,
    deliveryId: Types.ObjectId,
  ): Promise<WebhookAttemptDocument[]> {
    const sort = { startedAt: 1, _id: 1 } as const;
    return this.attempts.find(organizationId, { deliveryId }, { sort });
  }
}
