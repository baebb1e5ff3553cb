import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import {
  isDatabaseUnavailable,
  type RefusedWrite,
} from '../../database/connection/database-errors.js';
import { attemptOf, attemptUpdate, type DeliveryUpdate } from '../deliveries/delivery-documents.js';
import {
  type AttemptResult,
  failingSinceLimit,
  isGoneResponse,
  isSuccess,
  outcomeOf,
  type Pace,
  paceAfter,
  paces,
  pauseUntil,
  placeMs,
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

/** What an attempt says of its endpoint. */
interface AttemptSummary {
  readonly isDelivered: boolean;
  readonly pace: Pace;
}

/** Attempts of this process since its start: to all endpoints, and to those attempted last. */
export interface AttemptCounts {
  readonly delivered: number;
  readonly failed: number;
}

interface FinishedAttempt extends AttemptSummary {
  readonly endpoint: WebhookEndpointDocument;
  readonly attempt: WebhookAttemptDocument;
  readonly update: DeliveryUpdate;
  readonly result: AttemptResult;
  readonly now: Date;
}

/** What is logged where it is not known. */
export const resultNotStored = 'The result of a delivery attempt could not be stored';
/** How many results may wait to be stored while their places are used again. */
const mostUnstored = 256;
/** For how many endpoints attempts are counted one by one. */
const countedEndpoints = 1_000;
/** How long they wait for others. */
const gatherMs = 50;

/** Attempts leased deliveries and stores the results. */
@Injectable()
export class DeliveryAttemptRunner {
  private readonly logger = new Logger(DeliveryAttemptRunner.name);
  private readonly finished = new Batcher((attempts: readonly FinishedAttempt[]) =>
    this.store(attempts),
  );
  private readonly unstored = new Set<Promise<unknown>>();
  private total: AttemptCounts = { delivered: 0, failed: 0 };
  private readonly byEndpoint = new LRUCache<string, AttemptCounts>({ max: countedEndpoints });

  constructor(
    private readonly sender: WebhookSender,
    private readonly queue: DeliveryQueueRepository,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a delivery once and stores the result for it and for its endpoint. A success that changes
   * nothing of the endpoint is stored with others later: until then its lease goes on.
   *
   * @param abortSignal releases the delivery without an attempt, for another worker
   * @param leavePlace called when it is being sent for so long that others should not wait for it
   * @returns whether the receiver accepted it, and its pace now
   */
  async run(
    { delivery, endpoint }: LeasedDelivery,
    abortSignal: AbortSignal,
    leavePlace: () => void,
  ): Promise<AttemptSummary> {
    const message = { id: delivery.messageId, body: delivery.body };
    const { pace: lastPace = 'unproven' } = endpoint;
    const timer = setTimeout(leavePlace, placeMs);
    const result = await this.sender.send(endpoint, message, abortSignal);
    clearTimeout(timer);
    const now = this.clock.now();
    if (abortSignal.aborted && result.statusCode === null) {
      await this.release([delivery]);
      return { isDelivered: false, pace: lastPace };
    }
    const outcome = outcomeOf(result, delivery.attempts, now, Math.random());
    const attempt = attemptOf(delivery, endpoint, result);
    const update = attemptUpdate(delivery, result, outcome, now);
    const summary = { isDelivered: isSuccess(result), pace: paceAfter(lastPace, result) };
    this.count(endpoint, summary.isDelivered);
    const finished = { ...summary, endpoint, attempt, update, result, now };
    const isAsBefore = summary.pace === lastPace && !endpoint.failingSince;
    const canWait = summary.isDelivered && isAsBefore && this.unstored.size < mostUnstored;
    if (canWait) this.storeLater(this.finished.add(finished, gatherMs));
    else await this.finished.add(finished);
    return summary;
  }

  /** What this process has attempted; by the ids of at most 1,000 endpoints, and how many results are not stored yet. */
  stats() {
    const endpoints = Object.fromEntries(this.byEndpoint.entries());
    return { ...this.total, endpoints, unstored: this.unstored.size };
  }

  private count({ _id }: WebhookEndpointDocument, isDelivered: boolean): void {
    const id = _id.toHexString();
    const one = { delivered: isDelivered ? 1 : 0, failed: isDelivered ? 0 : 1 };
    const add = ({ delivered, failed }: AttemptCounts) => ({
      delivered: delivered + one.delivered,
      failed: failed + one.failed,
    });
    this.total = add(this.total);
    this.byEndpoint.set(id, add(this.byEndpoint.get(id) ?? { delivered: 0, failed: 0 }));
  }

  /** Ends leases without an attempt. */
  async release(deliveries: readonly WebhookDeliveryDocument[]): Promise<void> {
    const now = this.clock.now();
    await this.queue.finish(deliveries.map((delivery) => releaseOf(delivery, now)));
  }

  /** Waits until all results are stored, or have failed to be. */
  async stored(): Promise<void> {
    await Promise.all(this.unstored);
  }

  private storeLater(stored: Promise<unknown>): void {
    const settled = stored
      .catch((error: unknown) => {
        // It becomes due again when its lease ends.
        this.logger.warn({ err: error }, resultNotStored);
      })
      .finally(() => this.unstored.delete(settled));
    this.unstored.add(settled);
  }

  /**
   * The endpoints and the log come first: the next lease has to see the new state, and every attempt
   * that counts is in the log. One that cannot be stored does not keep back the others.
   */
  private async store(finished: readonly FinishedAttempt[]): Promise<never[]> {
    const [unlogged] = await Promise.all([
      this.attempts.insert(finished.map(({ attempt }) => attempt)),
      this.recordSuccesses(finished.filter(({ isDelivered }) => isDelivered)),
      ...finished.filter(({ isDelivered }) => !isDelivered).map((one) => this.recordFailure(one)),
    ]);
    this.logRefused(finished, unlogged);
    this.logRefused(finished, await this.queue.finish(finished.map(({ update }) => update)));
    return [];
  }

  private async recordSuccesses(delivered: readonly FinishedAttempt[]): Promise<void> {
    for (const pace of paces) {
      const ids = delivered.filter((one) => one.pace === pace).map(({ endpoint }) => endpoint._id);
      if (ids.length > 0) await this.endpoints.recordSuccess(ids, pace);
    }
  }

  private async recordFailure({ endpoint, result, pace, now }: FinishedAttempt): Promise<void> {
    const { _id, failingSince } = endpoint;
    try {
      if (isGoneResponse(result)) {
        if (await this.endpoints.disable(_id, 'gone', now)) this.logDisabled(_id, 'gone');
        return;
      }
      await this.endpoints.recordFailure(_id, { pace, pause: pauseUntil(result, now), now });
      const limit = failingSinceLimit(now);
      if (!failingSince || failingSince > limit) return;
      if (await this.endpoints.disableWhenFailingSince(_id, limit, now)) {
        this.logDisabled(_id, 'failing');
      }
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const endpointId = _id.toHexString();
      this.logger.warn({ err: error, endpointId }, 'A failure could not be stored');
    }
  }

  private logDisabled(endpointId: Types.ObjectId, reason: string): void {
    this.logger.warn({ endpointId: endpointId.toHexString(), reason }, 'An endpoint was disabled');
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
