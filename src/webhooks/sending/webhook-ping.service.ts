import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { pingType } from '../../events/outbox/event-types.js';
import { messageOf } from '../../events/outbox/message.js';
import { type AttemptResult, attemptsPerRound, outcomeOf } from '../deliveries/delivery-outcome.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { newDelivery } from '../deliveries/webhook-fan-out.js';
import { SecretKeys } from '../endpoints/secret-keys.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookSender } from './webhook-sender.js';

@Injectable()
export class WebhookPingService {
  constructor(
    private readonly queue: DeliveryQueueRepository,
    private readonly secrets: SecretKeys,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a test event to an endpoint once, even to a disabled one, and stores it as a delivery.
   *
   * @throws Error when its secrets cannot be opened
   */
  async ping(endpoint: WebhookEndpointDocument): Promise<AttemptResult> {
    const { _id: endpointId, organizationId, url } = endpoint;
    const now = this.clock.now();
    const secrets = this.secrets.signing(endpoint, now);
    const data = { endpointId: endpointId.toHexString(), url: withoutQuery(url) };
    const times = { createdAt: now, updatedAt: now };
    const event = { _id: new Types.ObjectId(), organizationId, type: pingType, data, ...times };
    const message = messageOf(event);
    const delivery = {
      ...newDelivery({ ...event, bytes: message.body.length }, endpointId, now),
      body: message.body,
      // The operator waits for the result: if the command is interrupted, no worker may send it.
      status: 'failed',
      failureReason: 'interrupted',
      completedAt: now,
    } as const;
    await this.queue.insert([delivery]);
    const result = await this.sender.send({ url, secrets }, message);
    // It is not retried.
    const ended = outcomeOf(result, attemptsPerRound, this.clock.now(), 0);
    await this.queue.store([{ delivery, url, result, outcome: { ...ended, attempts: 1 } }]);
    return result;
  }
}

/** A query may contain a secret of the receiver. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
