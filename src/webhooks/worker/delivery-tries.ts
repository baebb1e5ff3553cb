import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { Batches } from './batches.js';
import {
  DeliveryQueueRepository,
  type DeliveryUpdate,
} from '../deliveries/delivery-queue.repository.js';
import {
  deadSince,
  isGone,
  isSuccess,
  type Outcome,
  outcomeOf,
  pauseUntil,
  type TryResult,
} from '../deliveries/delivery-outcome.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import type { WebhookAttemptDocument } from '../deliveries/webhook-attempt.schema.js';
import { WebhookAttemptsRepository } from '../deliveries/webhook-attempts.repository.js';
import type { WebhookDeliveryDocument } from '../deliveries/webhook-delivery.schema.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { WebhookSender } from '../sending/webhook-sender.js';

/** A delivery that somebody holds the lease of, and where it goes. */
export interface LeasedDelivery {
  readonly delivery: WebhookDeliveryDocument;
  readonly endpoint: WebhookEndpointDocument;
}

interface FinishedTry {
  readonly attempt: WebhookAttemptDocument;
  readonly update: DeliveryUpdate;
}

/** Tries leased deliveries and records what came of it. */
@Injectable()
export class DeliveryTries {
  private readonly logger = new Logger(DeliveryTries.name);
  private readonly finished = new Batches<FinishedTry>((tries) => this.store(tries));

  constructor(
    private readonly sender: WebhookSender,
    private readonly secrets: EndpointSecrets,
    private readonly queue: DeliveryQueueRepository,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a delivery once and stores what becomes of it and of its endpoint.
   *
   * @param interruption gives the delivery back untried, for somebody else
   * @returns whether the receiver took it
   */
  async run(leased: LeasedDelivery, interruption: AbortSignal): Promise<boolean> {
    const { delivery, endpoint } = leased;
    const result = await this.send(leased, interruption);
    if (interruption.aborted && result.statusCode === null) {
      await this.release(delivery);
      return false;
    }
    const now = this.clock.now();
    const outcome = outcomeOf(result, delivery.attempts, now, Math.random());
    const attempt = attemptOf(leased, result);
    // The endpoint comes first: whoever takes the next delivery has to know what this one met.
    await this.noteAtEndpoint(endpoint, result, now);
    await this.finished.add({ attempt, update: updateOf(delivery, result, outcome, now) });
    return isSuccess(result);
  }

  /** Sends a delivery once; without secrets that is a try that failed. */
  async send(
    { delivery, endpoint }: LeasedDelivery,
    interruption?: AbortSignal,
  ): Promise<TryResult> {
    const startedAt = this.clock.now();
    const message = { id: delivery.messageId, body: delivery.body };
    try {
      const secrets = await this.secrets.signing(endpoint, startedAt);
      return await this.sender.send(endpoint.url, message, secrets, interruption);
    } catch (cause) {
      const error = cause instanceof Error ? cause.message : String(cause);
      this.logger.error({ err: cause }, 'A webhook could not be signed');
      const nothing = { statusCode: null, response: null, retryAfter: null, isRefused: false };
      return { startedAt, milliseconds: 0, error, ...nothing };
    }
  }

  private async noteAtEndpoint(
    { _id, failingSince }: WebhookEndpointDocument,
    result: TryResult,
    now: Date,
  ): Promise<void> {
    if (isSuccess(result)) {
      if (failingSince) await this.endpoints.clearFailure(_id);
      return;
    }
    if (isGone(result)) {
      if (await this.endpoints.disable(_id, 'gone', now)) this.warnOfDisabled(_id, 'gone');
      return;
    }
    const pause = pauseUntil(result, now);
    if (pause !== null) await this.endpoints.pause(_id, pause);
    if (!failingSince) await this.endpoints.markFailing(_id, now);
    else if (await this.endpoints.disableWhenFailingSince(_id, deadSince(now), now)) {
      this.warnOfDisabled(_id, 'failing');
    }
  }

  private warnOfDisabled(endpointId: Types.ObjectId, reason: string): void {
    this.logger.warn({ endpointId: endpointId.toHexString(), reason }, 'An endpoint was disabled');
  }

  private async release({ _id, leaseOwner }: WebhookDeliveryDocument): Promise<void> {
    const now = this.clock.now();
    const set = { nextAttemptAt: now, updatedAt: now };
    await this.queue.finish([{ _id, leaseOwner: leaseOwner ?? '', set }]);
  }

  /** The log comes first: a try that is not in it has not happened as far as anybody can tell. */
  private async store(tries: readonly FinishedTry[]): Promise<void> {
    await this.attempts.insert(tries.map(({ attempt }) => attempt));
    await this.queue.finish(tries.map(({ update }) => update));
  }
}

/** The log entry of a try. */
export function attemptOf(
  { delivery, endpoint }: LeasedDelivery,
  result: TryResult,
): WebhookAttemptDocument {
  const { startedAt, milliseconds, statusCode, response, error } = result;
  return {
    _id: new Types.ObjectId(),
    organizationId: delivery.organizationId,
    endpointId: endpoint._id,
    deliveryId: delivery._id,
    round: delivery.round,
    attempt: delivery.attempts + 1,
    url: endpoint.url,
    startedAt,
    milliseconds,
    statusCode,
    response,
    error,
    createdAt: startedAt,
    updatedAt: startedAt,
  };
}

/** What a try changes in its delivery. */
export function updateOf(
  { _id, leaseOwner, attempts }: WebhookDeliveryDocument,
  result: TryResult,
  outcome: Outcome,
  now: Date,
): DeliveryUpdate {
  const told = {
    attempts: attempts + 1,
    lastAttemptAt: result.startedAt,
    lastStatusCode: result.statusCode,
    lastError: result.error,
    updatedAt: now,
  };
  const becomes =
    outcome.status === 'pending'
      ? { nextAttemptAt: outcome.nextAttemptAt }
      : {
          status: outcome.status,
          failureReason: outcome.status === 'failed' ? outcome.reason : null,
          completedAt: now,
        };
  return { _id, leaseOwner: leaseOwner ?? '', set: { ...told, ...becomes } };
}
