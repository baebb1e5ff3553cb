import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import PQueue from 'p-queue';
import { Gauge } from 'prom-client';
import { Clock } from '../../core/configuration/clock.js';
import { Metrics } from '../../core/observability/metrics.js';
import { traced } from '../../core/observability/tracing.js';
import { type WebhookMessage, messageIdOf, messageOf } from '../../events/outbox/message.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { type AttemptResult, isSuccess, outcomeOf } from '../deliveries/delivery-outcome.js';
import {
  DeliveryQueueRepository,
  type DueDelivery,
  type FinishedAttempt,
} from '../deliveries/delivery-queue.repository.js';
import { endpointAfter } from '../endpoints/endpoint-state.js';
import { SecretKeys } from '../endpoints/secret-keys.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookStatisticsService } from '../statistics/webhook-statistics.service.js';
import { AttemptSlots, unbudgetedBytes } from './attempt-slots.js';
import { WebhookSender } from './webhook-sender.js';

/** Retry interval in ms for an endpoint whose secret cannot be opened. */
const faultPauseMs = 60_000;

export interface BatchLimits {
  readonly mayBegin: () => boolean;
  readonly aborting: AbortSignal;
}

export interface BatchEnd {
  /** In the order in which the attempts ended. */
  readonly results: readonly AttemptResult[];
  readonly fields: Partial<WebhookEndpointDocument>;
  readonly hasMore: boolean;
}

export const emptyBatch: BatchEnd = { results: [], fields: {}, hasMore: false };

/** Sends what is due at a leased endpoint, batch by batch; the results of a batch are stored together. */
@Injectable()
export class DeliveryBatches {
  private readonly logger = new Logger(DeliveryBatches.name);
  private readonly unstored: Gauge;

  constructor(
    private readonly slots: AttemptSlots,
    private readonly queue: DeliveryQueueRepository,
    private readonly events: OutboxEventsRepository,
    private readonly secrets: SecretKeys,
    private readonly sender: WebhookSender,
    private readonly statistics: WebhookStatisticsService,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.unstored = new Gauge(
      metrics.options(
        'delivery_results_unstored',
        'Attempts of this process whose results are not stored yet.',
      ),
    );
  }

  /** Sends one batch; null when its results could not be stored, so that the next attempt has to wait. */
  async send(endpoint: WebhookEndpointDocument, limits: BatchLimits): Promise<BatchEnd | null> {
    const { _id, pausedUntil, latencyClass = 'new', batchSize = 1 } = endpoint;
    const now = this.clock.now();
    if (endpoint.isEnabled !== true) {
      const reason = endpoint.removedAt ? 'endpoint removed' : 'endpoint disabled';
      // The operator may enable it meanwhile: later deliveries are to be sent.
      const hasMore = await this.queue.failWaiting(_id, reason, now, now);
      return { ...emptyBatch, hasMore };
    }
    if (pausedUntil && pausedUntil > now) return emptyBatch;
    let secrets: string[];
    try {
      secrets = this.secrets.signing(endpoint, now);
    } catch (error) {
      return this.pauseEndpoint(endpoint, error as Error);
    }
    const limit = Math.min(batchSize, this.slots.maxBatchSize(latencyClass));
    const due = await this.queue.findDue(_id, now, limit);
    if (due.length === 0) return emptyBatch;
    const batch = firstBytes(due);
    const bytes = Math.max(...batch.map((delivery) => delivery.bytes));
    const finished = await this.slots.reserveBytes(latencyClass, bytes, () =>
      this.attemptAll(endpoint, batch, secrets, limits),
    );
    if (!(await this.store(_id, finished))) return null;
    const results = finished.map(({ result }) => result);
    const isFull = due.length === limit;
    const hasMore = isFull || finished.length < due.length;
    if (results.length === 0) return { ...emptyBatch, hasMore };
    const hasSucceeded = results.length === batch.length && results.every(isSuccess);
    const nextSize = isFull ? limit * 2 : limit;
    const decided = endpointAfter(endpoint, results, this.clock.now());
    return { results, fields: { ...decided, batchSize: hasSucceeded ? nextSize : 1 }, hasMore };
  }

  /** Stops at the first failure; the next batch of the endpoint then has one delivery. */
  private async attemptAll(
    { _id, organizationId, url, latencyClass = 'new' }: WebhookEndpointDocument,
    deliveries: readonly DueDelivery[],
    secrets: readonly string[],
    { mayBegin, aborting }: BatchLimits,
  ): Promise<FinishedAttempt[]> {
    const messages = await this.messagesOf(organizationId, deliveries);
    const finished: FinishedAttempt[] = [];
    let hasFailed = false;
    const attempt = async (delivery: DueDelivery, message: WebhookMessage) => {
      if (hasFailed || !mayBegin()) return;
      const result = await traced(
        'webhook attempt',
        attributesOf(delivery, message),
        async (add) => {
          const sent = await this.sender.send({ url, secrets }, message, aborting);
          add({ 'http.response.status_code': sent.statusCode ?? 0 });
          return sent;
        },
      );
      if (aborting.aborted && result.statusCode === null) return;
      const now = this.clock.now();
      const outcome = outcomeOf(result, delivery.attempts, now, Math.random());
      finished.push({ delivery, url, result, outcome, now });
      this.statistics.count(_id, isSuccess(result));
      hasFailed ||= !isSuccess(result);
    };
    const pool = new PQueue({ concurrency: this.slots.perEndpoint(latencyClass) });
    await pool.addAll(
      deliveries.map((delivery, index) => async () => {
        const message = messages.get(delivery.eventId.toHexString());
        if (message === undefined || hasFailed) return;
        await this.slots.attempt(latencyClass, index, () => attempt(delivery, message));
      }),
    );
    return finished;
  }

  /** The messages of deliveries by their events; a delivery whose event has expired fails. */
  private async messagesOf(
    organizationId: Types.ObjectId,
    deliveries: readonly DueDelivery[],
  ): Promise<ReadonlyMap<string, WebhookMessage>> {
    const ids = deliveries.map(({ eventId }) => eventId);
    const events = await this.events.findWhole(organizationId, ids);
    const messages = new Map(events.map((event) => [event._id.toHexString(), messageOf(event)]));
    for (const { eventId, body } of deliveries) {
      if (body) messages.set(eventId.toHexString(), { id: messageIdOf(eventId), body });
    }
    const expired = deliveries.filter(({ eventId }) => !messages.has(eventId.toHexString()));
    if (expired.length > 0) {
      const expiredIds = expired.map(({ _id }) => _id);
      await this.queue.fail(expiredIds, 'event expired', this.clock.now());
    }
    return messages;
  }

  private pauseEndpoint(
    { _id, fault }: WebhookEndpointDocument,
    { message: reason }: Error,
  ): BatchEnd {
    if (fault !== reason) {
      const endpointId = _id.toHexString();
      this.logger.error({ endpointId, reason }, 'Could not sign webhooks; trying every minute');
    }
    const pausedUntil = new Date(this.clock.now().getTime() + faultPauseMs);
    return { ...emptyBatch, fields: { fault: reason, pausedUntil } };
  }

  private async store(
    endpointId: Types.ObjectId,
    finished: readonly FinishedAttempt[],
  ): Promise<boolean> {
    if (finished.length === 0) return true;
    this.unstored.inc(finished.length);
    try {
      for (const { _id, reason } of await this.queue.store(finished)) {
        this.logger.error({ deliveryId: _id, reason }, 'Could not log an attempt of a delivery');
      }
      return true;
    } catch (error) {
      const message = 'Could not store results of deliveries; they will be sent again';
      this.logger.warn({ err: error, endpointId }, message);
      return false;
    } finally {
      this.unstored.dec(finished.length);
    }
  }
}

/** The first deliveries that are small together, or a single larger one. */
function firstBytes(deliveries: readonly DueDelivery[]): readonly DueDelivery[] {
  let bytes = 0;
  const end = deliveries.findIndex((delivery) => (bytes += delivery.bytes) > unbudgetedBytes);
  return end === -1 ? deliveries : deliveries.slice(0, Math.max(1, end));
}

function attributesOf({ type, endpointId, attempts }: DueDelivery, { id }: WebhookMessage) {
  return {
    'webhook.id': id,
    'webhook.type': type,
    'webhook.endpoint_id': endpointId.toHexString(),
    'webhook.attempt': attempts + 1,
  };
}
