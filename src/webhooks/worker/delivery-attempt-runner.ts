import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import type { RefusedWrite } from '../../database/connection/database-errors.js';
import { attemptOf, attemptUpdate, type DeliveryUpdate } from '../deliveries/delivery-documents.js';
import {
  type AttemptResult,
  failingSinceLimit,
  isGoneResponse,
  isSuccess,
  outcomeOf,
  pauseUntil,
} from '../deliveries/delivery-outcome.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import type { WebhookAttemptDocument } from '../deliveries/webhook-attempt.schema.js';
import { WebhookAttemptsRepository } from '../deliveries/webhook-attempts.repository.js';
import type { WebhookDeliveryDocument } from '../deliveries/webhook-delivery.schema.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { WebhookSender } from '../sending/webhook-sender.js';
import { Batcher } from './batcher.js';

/** A delivery that this worker holds the lease of, and where it goes. */
export interface LeasedDelivery {
  readonly delivery: WebhookDeliveryDocument;
  readonly endpoint: WebhookEndpointDocument;
}

interface FinishedAttempt {
  readonly attempt: WebhookAttemptDocument;
  readonly update: DeliveryUpdate;
}

/** Attempts leased deliveries and stores the results. */
@Injectable()
export class DeliveryAttemptRunner {
  private readonly logger = new Logger(DeliveryAttemptRunner.name);
  private readonly finished = new Batcher((attempts: readonly FinishedAttempt[]) =>
    this.store(attempts),
  );

  constructor(
    private readonly sender: WebhookSender,
    private readonly queue: DeliveryQueueRepository,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a delivery once and stores the result for it and for its endpoint.
   *
   * @param abortSignal releases the delivery without an attempt, for another worker
   * @returns whether the receiver accepted it
   */
  async run({ delivery, endpoint }: LeasedDelivery, abortSignal: AbortSignal): Promise<boolean> {
    const message = { id: delivery.messageId, body: delivery.body };
    const result = await this.sender.send(endpoint, message, abortSignal);
    const now = this.clock.now();
    if (abortSignal.aborted && result.statusCode === null) {
      await this.queue.finish([releaseOf(delivery, now)]);
      return false;
    }
    const outcome = outcomeOf(result, delivery.attempts, now, Math.random());
    const attempt = attemptOf(delivery, endpoint, result);
    // The endpoint comes first: the next lease has to see its new state.
    await this.updateEndpoint(endpoint, result, now);
    await this.finished.add({ attempt, update: attemptUpdate(delivery, result, outcome, now) });
    return isSuccess(result);
  }

  private async updateEndpoint(
    { _id, failingSince }: WebhookEndpointDocument,
    result: AttemptResult,
    now: Date,
  ): Promise<void> {
    if (isSuccess(result)) {
      await this.endpoints.recordSuccess(_id);
      return;
    }
    if (isGoneResponse(result)) {
      if (await this.endpoints.disable(_id, 'gone', now)) this.logDisabled(_id, 'gone');
      return;
    }
    await this.endpoints.recordFailure(_id, { pause: pauseUntil(result, now), now });
    const limit = failingSinceLimit(now);
    if (!failingSince || failingSince > limit) return;
    if (await this.endpoints.disableWhenFailingSince(_id, limit, now)) {
      this.logDisabled(_id, 'failing');
    }
  }

  private logDisabled(endpointId: Types.ObjectId, reason: string): void {
    this.logger.warn({ endpointId: endpointId.toHexString(), reason }, 'An endpoint was disabled');
  }

  /**
   * The log comes first, so that every attempt that counts is in it. One that cannot be stored does
   * not keep back the others.
   */
  private async store(finished: readonly FinishedAttempt[]): Promise<never[]> {
    this.logRefused(finished, await this.attempts.insert(finished.map(({ attempt }) => attempt)));
    this.logRefused(finished, await this.queue.finish(finished.map(({ update }) => update)));
    return [];
  }

  private logRefused(finished: readonly FinishedAttempt[], refused: readonly RefusedWrite[]): void {
    for (const { index, reason } of refused) {
      const deliveryId = finished[index]?.attempt.deliveryId.toHexString();
      this.logger.error({ deliveryId, reason }, 'A delivery attempt could not be stored');
    }
  }
}

function releaseOf({ _id, leaseOwner }: WebhookDeliveryDocument, now: Date): DeliveryUpdate {
  return { _id, leaseOwner, set: { nextAttemptAt: now, updatedAt: now } };
}
