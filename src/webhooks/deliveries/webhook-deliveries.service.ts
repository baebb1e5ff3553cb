import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { isSuccess, type TryResult } from './delivery-outcome.js';
import { attemptOf, DeliveryTries, updateOf } from '../worker/delivery-tries.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { pingType } from '../outbox/event-types.js';
import { messageOf } from '../sending/message.js';
import type { WebhookAttemptDocument } from './webhook-attempt.schema.js';
import { WebhookAttemptsRepository } from './webhook-attempts.repository.js';
import {
  type DeliveryFilter,
  type ListedDelivery,
  WebhookDeliveriesRepository,
} from './webhook-deliveries.repository.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { newDelivery } from '../outbox/webhook-relay.js';

export type { DeliveryFilter, ListedDelivery };

/** Longer than any try, shorter than anybody's patience. */
const pingLease = 60_000;

/** The operator's side of deliveries: what was sent, how it went, and sending it again. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly tries: DeliveryTries,
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

  /** All tries of deliveries, oldest first. */
  async attemptsOf(
    organizationId: Types.ObjectId,
    deliveryIds: readonly Types.ObjectId[],
  ): Promise<WebhookAttemptDocument[]> {
    return this.attempts.listOfDeliveries(organizationId, deliveryIds);
  }

  /** How many deliveries wait for an endpoint. */
  async countPending(endpointId: Types.ObjectId): Promise<number> {
    return this.deliveries.countPending(endpointId);
  }

  /**
   * Sends deliveries again, with the same ids and bodies, in a new round of tries.
   *
   * @returns how many; one that is being tried at this moment is left alone
   */
  async replay(
    { organizationId, _id: endpointId }: WebhookEndpointDocument,
    filter: DeliveryFilter & { readonly _id?: Types.ObjectId },
  ): Promise<number> {
    return this.deliveries.startRound(organizationId, { ...filter, endpointId }, this.clock.now());
  }

  /** Sends a ping to an endpoint, disabled or not, once and at once, and logs it. */
  async ping(endpoint: WebhookEndpointDocument): Promise<TryResult> {
    const now = this.clock.now();
    const event = {
      _id: new Types.ObjectId(),
      organizationId: endpoint.organizationId,
      type: pingType,
      data: { endpointId: endpoint._id.toHexString(), url: endpoint.url },
      relayedAt: now,
      createdAt: now,
      updatedAt: now,
    };
    const delivery = {
      ...newDelivery(event, endpoint, messageOf(event), now),
      leaseOwner: randomUUID(),
      nextAttemptAt: new Date(now.getTime() + pingLease),
    };
    await this.deliveries.insert(delivery);
    const result = await this.tries.send({ delivery, endpoint });
    await this.attempts.insert([attemptOf({ delivery, endpoint }, result)]);
    const outcome = isSuccess(result)
      ? ({ status: 'delivered' } as const)
      : ({ status: 'failed', reason: 'exhausted' } as const);
    await this.queue.finish([updateOf(delivery, result, outcome, this.clock.now())]);
    return result;
  }
}
