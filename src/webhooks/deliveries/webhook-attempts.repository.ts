import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection } from '../../database/documents/tenant-collection.js';
import type { WebhookAttemptDocument } from './webhook-attempt.schema.js';

/** The queries on `webhookAttempts`. */
@Injectable()
export class WebhookAttemptsRepository {
  private readonly attempts: TenantCollection<WebhookAttemptDocument>;

  constructor(
    @InjectModel('WebhookAttempt') private readonly model: Model<WebhookAttemptDocument>,
  ) {
    this.attempts = new TenantCollection(model);
  }

  async insert(attempts: readonly WebhookAttemptDocument[]): Promise<void> {
    await this.model.collection.insertMany([...attempts], { ordered: false });
  }

  /** All tries of deliveries, in their order. */
  async listOfDeliveries(
    organizationId: Types.ObjectId,
    deliveryIds: readonly Types.ObjectId[],
  ): Promise<WebhookAttemptDocument[]> {
    const sort = { startedAt: 1, _id: 1 } as const;
    return this.attempts.find(organizationId, { deliveryId: { $in: deliveryIds } }, { sort });
  }
}
