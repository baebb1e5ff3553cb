import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  isDatabaseUnavailable,
  type RefusedWrite,
} from '../../core/database/connection/database-errors.js';
import {
  attemptOf,
  attemptUpdate,
  type DeliveryUpdate,
  withSharedTimes,
} from '../deliveries/delivery-documents.js';
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
import { traced } from '../../core/observability/tracing.js';
import { WebhookFiguresRecorder } from '../statistics/webhook-figures-recorder.js';
import { WebhookSender } from './webhook-sender.js';
import { AttemptCounts, type EndpointAttempts } from './attempt-counts.js';
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
/** How long they wait for others: stored one by one they cost the database several times as much. */
const gatherMs = 200;

/** Attempts leased deliveries and stores the results. */
@Injectable()
export class DeliveryAttemptRunner {
  private readonly logger = new Logger(DeliveryAttemptRunner.name);
  private readonly counts = new AttemptCounts();
  private readonly finished = new Batcher((attempts: readonly FinishedAttempt[]) =>
    this.store(attempts),
  );
  private readonly unstored = new Set<Promise<unknown>>();

  constructor(
    private readonly sender: WebhookSender,
    private readonly queue: DeliveryQueueRepository,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly figures: WebhookFiguresRecorder,
    private readonly clock: Clock,
  ) {}

  /** The attempts of this process that have a result, by endpoint, and how many of them are not stored yet. */
  stats(): { readonly byEndpoint: readonly EndpointAttempts[]; readonly unstored: number } {
    return { byEndpoint: this.counts.all(), unstored: this.unstored.size };
  }

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
    const result = await traced('webhook attempt', attributesOf(delivery), async (describe) => {
      const sent = await this.sender.send(endpoint, message, abortSignal);
      describe({ 'http.response.status_code': sent.statusCode ?? 0 });
      return sent;
    });
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
    const { isDelivered } = summary;
    this.counts.add(endpoint._id, isDelivered);
    this.figures.count(endpoint, { isDelivered, milliseconds: result.milliseconds });
    const finished = { ...summary, endpoint, attempt, update, result, now };
    const isAsBefore = summary.pace === lastPace && !endpoint.failingSince;
    const canWait = summary.isDelivered && isAsBefore && this.unstored.size < mostUnstored;
    if (canWait) this.storeLater(this.finished.add(finished, gatherMs));
    else await this.finished.add(finished);
    return summary;
  }

  /** Ends leases without an attempt. */
  async release(deliveries: readonly WebhookDeliveryDocument[]): Promise<void> {
    const now = this.clock.now();
    const set = { nextAttemptAt: now, updatedAt: now };
    await this.queue.finish(deliveries.map(({ _id, leaseOwner }) => ({ _id, leaseOwner, set })));
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
    const updates = withSharedTimes(finished.map(({ update }) => update));
    const { refused, hasFoundAll } = await this.queue.finish(updates);
    this.logRefused(finished, refused);
    if (!hasFoundAll) await this.finishErased(updates);
    return [];
  }

  /**
   * What an attempt has stored of a response goes again where its delivery was erased meanwhile; only
   * then is its lease over, so that after a failure here another attempt does it (rule LEAD-15).
   */
  private async finishErased(updates: readonly DeliveryUpdate[]): Promise<void> {
    const erased = await this.queue.findErased(updates.map(({ _id }) => _id));
    for (const { organizationId, _id } of erased) {
      await this.attempts.forgetResponses(organizationId, [_id]);
    }
    const ids = new Set(erased.map(({ _id }) => _id.toHexString()));
    const rest = updates.filter(({ _id }) => ids.has(_id.toHexString()));
    await this.queue.finish(rest, true);
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

function attributesOf({ messageId, type, endpointId, attempts }: WebhookDeliveryDocument) {
  return {
    'webhook.id': messageId,
    'webhook.type': type,
    'webhook.endpoint_id': endpointId.toHexString(),
    'webhook.attempt': attempts + 1,
  };
}
