import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import PQueue from 'p-queue';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { traced } from '../../core/observability/tracing.js';
import { type WebhookMessage, messageIdOf, messageOf } from '../../events/outbox/message.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { applyResults, isSuccess, attemptOutcome } from '../deliveries/attempt-outcome.js';
import {
  type DueDelivery,
  type FinishedAttempt,
  WebhookDeliveriesRepository,
} from '../deliveries/webhook-deliveries.repository.js';
import { leaseMs, WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { SecretKeys } from '../endpoints/secret-keys.js';
import type {
  LatencyClass,
  WebhookEndpointDocument,
} from '../endpoints/webhook-endpoint.schema.js';
import { WebhookStatsService } from '../statistics/webhook-stats.service.js';
import { AttemptSlots } from './attempt-slots.js';
import { WebhookSender } from './webhook-sender.js';

/** Retry interval in ms for an endpoint whose secret cannot be opened. */
const faultPauseMs = 60_000;
/** Limits the events of a batch; a larger event gets its own batch. */
const batchBytes = 262_144;
/** Part of the lease that is reserved for the last response's body and for storing the results. */
const storageReserveMs = 10_000;

interface Batch {
  /** Sorted by the end of the attempts. */
  readonly finished: readonly FinishedAttempt[];
  /** Contains only changed fields. */
  readonly fields: Partial<WebhookEndpointDocument>;
  readonly hasMore: boolean;
}

const emptyBatch: Batch = { finished: [], fields: {}, hasMore: false };

/** Leases an endpoint, sends one batch at a time and stores the results together. */
@Injectable()
export class DeliveryBatches {
  private readonly logger = new Logger(DeliveryBatches.name);
  /** An attempt must start within this time, in ms, to be stored before the lease expires. */
  private readonly maxStartMs: number;
  readonly slots: AttemptSlots;
  /** Prevents new attempts. */
  readonly stopping = new AbortController();
  /** Aborts running attempts. */
  readonly aborting = new AbortController();

  constructor(
    @Inject(ENVIRONMENT) { WEBHOOKS_CONCURRENCY, WEBHOOKS_TIMEOUT_MS }: Environment,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly events: OutboxEventsRepository,
    private readonly secrets: SecretKeys,
    private readonly sender: WebhookSender,
    private readonly statistics: WebhookStatsService,
    private readonly clock: Clock,
  ) {
    this.slots = new AttemptSlots(WEBHOOKS_CONCURRENCY);
    this.maxStartMs = leaseMs - WEBHOOKS_TIMEOUT_MS - storageReserveMs;
  }

  /** Sends one batch if no worker has the endpoint; returns its class if more may be due. Never rejects. */
  async deliver(id: Types.ObjectId): Promise<LatencyClass | null> {
    const leasedAt = performance.now();
    const mayBegin = () =>
      !this.stopping.signal.aborted && performance.now() - leasedAt < this.maxStartMs;
    try {
      const endpoint = mayBegin() ? await this.lease(id) : null;
      return endpoint && (await this.deliverLeased(endpoint, mayBegin));
    } catch (error) {
      const message = 'Could not deliver to an endpoint; retrying when its lease expires';
      this.logger.warn({ err: error, endpointId: id }, message);
      return null;
    }
  }

  /** Keeps all workers from an endpoint for a minute; returns null while one has it. */
  lease(id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    return this.endpoints.lease(id);
  }

  /** Sends one batch to an endpoint that the caller has leased, and releases it. Returns its class if more may be due. */
  async deliverLeased(
    endpoint: WebhookEndpointDocument,
    mayBegin: () => boolean,
  ): Promise<LatencyClass | null> {
    const batch = await this.send(endpoint, mayBegin).catch(async (error: unknown) => {
      await this.endpoints.release(endpoint, {});
      throw error;
    });
    const { finished, fields, hasMore } = batch;
    // If storing fails, the next attempt waits until the lease expires.
    await this.deliveries.store(finished);
    const results = finished.map(({ result }) => result);
    const [isStored] = await Promise.all([
      this.endpoints.release(endpoint, fields),
      this.statistics.addResults(endpoint, results),
    ]);
    if (isStored) await this.eraseLateExcerpt(endpoint, fields);
    if (isStored && fields.isEnabled === false) {
      const reason = fields.disabledReason;
      this.logger.warn({ endpointId: endpoint._id, reason }, 'An endpoint was disabled');
    }
    return hasMore ? (fields.latencyClass ?? endpoint.latencyClass ?? 'new') : null;
  }

  /** An erasure marks the deliveries first, so it either finds the stored excerpt or is found here. */
  private async eraseLateExcerpt(
    { organizationId }: WebhookEndpointDocument,
    { lastFailure }: Partial<WebhookEndpointDocument>,
  ): Promise<void> {
    const { deliveryId, excerpt = null } = lastFailure ?? {};
    if (deliveryId === undefined || excerpt === null) return;
    if (await this.deliveries.isErased(deliveryId)) {
      await this.endpoints.eraseExcerpts(organizationId, { deliveryId });
    }
  }

  private async send(endpoint: WebhookEndpointDocument, mayBegin: () => boolean): Promise<Batch> {
    const { _id, pausedUntil, latencyClass = 'new', batchSize = 1 } = endpoint;
    const now = this.clock.now();
    if (endpoint.isEnabled !== true) {
      const reason = endpoint.removedAt ? 'endpoint removed' : 'endpoint disabled';
      // The operator may enable the endpoint meanwhile, so later deliveries must stay pending.
      const hasMore = await this.deliveries.failPendingBatch(_id, reason, now, now);
      return { ...emptyBatch, hasMore };
    }
    if (pausedUntil && pausedUntil > now) return emptyBatch;
    let secrets: string[];
    try {
      secrets = this.secrets.signing(endpoint, now);
    } catch (error) {
      return this.pauseFaulty(endpoint, error as Error);
    }
    const limit = Math.min(batchSize, this.slots.maxBatchSize(latencyClass));
    const due = await this.deliveries.findDue(_id, now, limit);
    const batch = limitBytes(due);
    const attemptAll = () => this.attemptAll(endpoint, batch, secrets, mayBegin);
    const isLarge = batch.some(({ bytes }) => bytes > batchBytes);
    const finished = await (isLarge ? this.slots.runLarge(latencyClass, attemptAll) : attemptAll());
    const isFull = due.length === limit;
    const hasMore = isFull || finished.length < due.length;
    if (finished.length === 0) return { ...emptyBatch, hasMore };
    const results = finished.map(({ result }) => result);
    const hasSucceeded = results.length === batch.length && results.every(isSuccess);
    const nextSize = isFull ? limit * 2 : limit;
    const fields = applyResults(endpoint, finished, this.clock.now());
    return { finished, fields: { ...fields, batchSize: hasSucceeded ? nextSize : 1 }, hasMore };
  }

  /** Stops at the first failure; the endpoint's next batch then has one delivery. */
  private async attemptAll(
    { organizationId, url, latencyClass = 'new' }: WebhookEndpointDocument,
    deliveries: readonly DueDelivery[],
    secrets: readonly string[],
    mayBegin: () => boolean,
  ): Promise<FinishedAttempt[]> {
    const messages = await this.messagesOf(organizationId, deliveries);
    const finished: FinishedAttempt[] = [];
    let hasFailed = false;
    const attempt = async (delivery: DueDelivery, message: WebhookMessage) => {
      if (hasFailed || !mayBegin()) return;
      const attributes = {
        'webhook.id': message.id,
        'webhook.type': delivery.type,
        'webhook.endpoint_id': delivery.endpointId.toHexString(),
        'webhook.attempt': delivery.attempts + 1,
      };
      const result = await traced('webhook attempt', attributes, async (add) => {
        const sent = await this.sender.send({ url, secrets }, message, this.aborting.signal);
        add({ 'http.response.status_code': sent.statusCode ?? 0 });
        return sent;
      });
      if (this.aborting.signal.aborted && result.statusCode === null) return;
      const outcome = attemptOutcome(result, delivery.attempts, this.clock.now(), Math.random());
      finished.push({ delivery, url, result, outcome });
      hasFailed ||= !isSuccess(result);
    };
    const pool = new PQueue({ concurrency: this.slots.perEndpoint(latencyClass) });
    await pool.addAll(
      deliveries.map((delivery, index) => async () => {
        const message = messages.get(delivery.eventId.toHexString());
        if (message === undefined || hasFailed) return;
        await this.slots.runAttempt(latencyClass, index, () => attempt(delivery, message));
      }),
    );
    return finished;
  }

  /** Keys are event ids. A delivery whose event has expired fails. */
  private async messagesOf(
    organizationId: Types.ObjectId,
    deliveries: readonly DueDelivery[],
  ): Promise<ReadonlyMap<string, WebhookMessage>> {
    const ids = deliveries.map(({ eventId }) => eventId);
    const events = await this.events.findWithContents(organizationId, ids);
    const messages = new Map(events.map((event) => [event._id.toHexString(), messageOf(event)]));
    for (const { eventId, body } of deliveries) {
      if (body) messages.set(eventId.toHexString(), { id: messageIdOf(eventId), body });
    }
    const expired = deliveries.filter(({ eventId }) => !messages.has(eventId.toHexString()));
    const expiredIds = expired.map(({ _id }) => _id);
    await this.deliveries.fail(expiredIds, 'event expired', this.clock.now());
    return messages;
  }

  private pauseFaulty({ _id, fault }: WebhookEndpointDocument, { message: reason }: Error): Batch {
    const now = this.clock.now().getTime();
    if (fault !== reason) {
      this.logger.error(
        { endpointId: _id, reason },
        'Could not sign webhooks; retrying every minute',
      );
    }
    return { ...emptyBatch, fields: { fault: reason, pausedUntil: new Date(now + faultPauseMs) } };
  }
}

/** Returns a prefix that is small in total, or a single larger delivery. */
function limitBytes(deliveries: readonly DueDelivery[]): readonly DueDelivery[] {
  let bytes = 0;
  const end = deliveries.findIndex((delivery) => (bytes += delivery.bytes) > batchBytes);
  return end === -1 ? deliveries : deliveries.slice(0, Math.max(1, end));
}
