import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { pingType } from '../outbox/event-types.js';
import type { OutboxEventDocument } from '../outbox/outbox-event.schema.js';
import { messageOf } from '../sending/message.js';
import { WebhookSender } from '../sending/webhook-sender.js';
import { attemptOf, attemptUpdate, newDelivery } from './delivery-documents.js';
import { type AttemptResult, isSuccess, type Outcome } from './delivery-outcome.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import type { WebhookAttemptDocument } from './webhook-attempt.schema.js';
import { WebhookAttemptsRepository } from './webhook-attempts.repository.js';
import {
  type DeliveryFilter,
  type ListedDelivery,
  WebhookDeliveriesRepository,
} from './webhook-deliveries.repository.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

export type { DeliveryFilter, ListedDelivery };

/** Longer than any attempt. */
const pingLeaseMs = 60_000;

/** Operations on deliveries for the command line. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
  ) {}

  /** The delivery of an id, null when there is none. */
  async find(_id: Types.ObjectId): Promise<WebhookDeliveryDocument | null> {
    return this.deliveries.findById(_id);
  }

  /** What an organization was sent, newest first. */
  async list(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    limit: number,
  ): Promise<ListedDelivery[]> {
    return this.deliveries.list(organizationId, filter, limit);
  }

  /** All attempts of a delivery, oldest first. */
  async attemptsOf(delivery: WebhookDeliveryDocument): Promise<WebhookAttemptDocument[]> {
    return this.attempts.listOfDelivery(delivery.organizationId, delivery._id);
  }

  /** How many deliveries wait for an endpoint. */
  async countPending(endpointId: Types.ObjectId): Promise<number> {
    return this.deliveries.countPending(endpointId);
  }

  /**
   * Sends deliveries again, with the same ids and bodies, in a new round of attempts (rule HOOK-14).
   *
   * @returns how many; one that is being attempted now is left out
   */
  async replay(
    { organizationId, _id: endpointId }: WebhookEndpointDocument,
    filter: DeliveryFilter,
  ): Promise<number> {
    return this.deliveries.startRound(organizationId, { ...filter, endpointId }, this.clock.now());
  }

  /** Sends a ping to an endpoint, disabled or not, once and immediately, and logs it. */
  async ping(endpoint: WebhookEndpointDocument): Promise<AttemptResult> {
    const now = this.clock.now();
    const event = pingOf(endpoint, now);
    const message = messageOf(event);
    const delivery = newDelivery({ event, message, endpoint }, now);
    delivery.leaseOwner = randomUUID();
    delivery.nextAttemptAt = new Date(now.getTime() + pingLeaseMs);
    await this.deliveries.insert(delivery);
    const result = await this.sender.send(endpoint, message);
    await this.attempts.insert([attemptOf(delivery, endpoint, result)]);
    const outcome: Outcome = isSuccess(result)
      ? { status: 'delivered' }
      : { status: 'failed', reason: 'exhausted' };
    await this.queue.finish([attemptUpdate(delivery, result, outcome, this.clock.now())]);
    return result;
  }
}

function pingOf(
  { _id, organizationId, url }: WebhookEndpointDocument,
  now: Date,
): OutboxEventDocument {
  return {
    _id: new Types.ObjectId(),
    organizationId,
    type: pingType,
    data: { endpointId: _id.toHexString(), url },
    relayedAt: now,
    createdAt: now,
    updatedAt: now,
  };
}
