import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import PQueue from 'p-queue';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { traced } from '../../core/observability/tracing.js';
import { type Message, messageIdOf, messageOf } from '../../events/outbox/message.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import {
  type AttemptResult,
  isSuccess,
  type LatencyClass,
  latencyClassAfter,
  outcomeOf,
} from '../deliveries/delivery-outcome.js';
import {
  DeliveryQueueRepository,
  type DueDelivery,
  failedTogether,
  type FinishedAttempt,
} from '../deliveries/delivery-queue.repository.js';
import {
  EndpointLeasesRepository,
  type FinishedBatch,
  leaseMs,
} from '../endpoints/endpoint-leases.repository.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookStatisticsRepository } from '../statistics/webhook-statistics.repository.js';
import { AttemptCounts, type EndpointAttempts } from './attempt-counts.js';
import { AttemptSlots, freeBytes } from './attempt-slots.js';
import { WebhookSender } from './webhook-sender.js';

/** How long an endpoint waits whose secret cannot be opened, until that is tried again. */
const faultPauseMs = 60_000;

/** What ends the work of a process. */
export interface Shutdown {
  /** Begins no further attempt. */
  readonly stopping: AbortSignal;
  /** Ends the attempts that are running. */
  readonly aborting: AbortSignal;
}

interface Batch {
  readonly endpoint: WebhookEndpointDocument;
  readonly owner: string;
  readonly shutdown: Shutdown;
}

/** Delivers what is due at one endpoint, batch by batch: the attempts go, and are stored, together. */
@Injectable()
export class EndpointBatches {
  readonly slots: AttemptSlots;
  private readonly logger = new Logger(EndpointBatches.name);
  private readonly counts = new AttemptCounts();
  private unstored = 0;

  constructor(
    @Inject(ENVIRONMENT) { WEBHOOKS_CONCURRENCY }: Environment,
    private readonly leases: EndpointLeasesRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly events: OutboxEventsRepository,
    private readonly secrets: EndpointSecrets,
    private readonly sender: WebhookSender,
    private readonly statistics: WebhookStatisticsRepository,
    private readonly clock: Clock,
  ) {
    this.slots = new AttemptSlots(WEBHOOKS_CONCURRENCY);
  }

  /** The attempts of this process that have a result, by endpoint, and how many of them are not stored yet. */
  stats(): { readonly byEndpoint: readonly EndpointAttempts[]; readonly unstored: number } {
    return { byEndpoint: this.counts.all(), unstored: this.unstored };
  }

  /**
   * Leases an endpoint and delivers one batch.
   *
   * @returns the class of the endpoint where more may be due, else null
   */
  async deliver(endpointId: Types.ObjectId, shutdown: Shutdown): Promise<LatencyClass | null> {
    const owner = randomUUID();
    const endpoint = await this.leases.lease(endpointId, owner);
    if (endpoint === null) return null;
    const renew = () => this.leases.renew(endpointId, owner).catch(() => undefined);
    const renewing = setInterval(() => void renew(), leaseMs / 3);
    try {
      return await this.deliverLeased({ endpoint, owner, shutdown });
    } finally {
      clearInterval(renewing);
    }
  }

  private async deliverLeased(batch: Batch): Promise<LatencyClass | null> {
    const { endpoint, owner } = batch;
    const { _id, latencyClass = 'new', batchSize = 1, pausedUntil } = endpoint;
    const now = this.clock.now();
    if (endpoint.isEnabled !== true) {
      const reason = endpoint.removedAt ? 'endpoint removed' : 'endpoint disabled';
      // It may be enabled meanwhile, and what comes after that is to be sent.
      const failed = await this.queue.failWaiting(_id, reason, now, now);
      await this.leases.release(_id, owner);
      return failed === failedTogether ? latencyClass : null;
    }
    const secrets = await this.openSecrets(batch, now);
    if (secrets === null) return null;
    const limit = Math.min(batchSize, this.slots.largestBatch(latencyClass));
    const isPaused = (pausedUntil ?? now) > now;
    const due = isPaused ? [] : await this.queue.findDue(_id, now, limit);
    if (due.length > 0) return this.deliverDue(batch, { due, limit, secrets });
    await this.leases.release(_id, owner);
    return null;
  }

  private async deliverDue(
    batch: Batch,
    { due, limit, secrets }: { due: DueDelivery[]; limit: number; secrets: string[] },
  ): Promise<LatencyClass | null> {
    const { latencyClass = 'new' } = batch.endpoint;
    const deliveries = firstBytes(due);
    const bytes = Math.max(...deliveries.map((delivery) => delivery.bytes));
    const { finished, isWhole } = await this.slots.holding(latencyClass, bytes, async () =>
      this.attemptAll(batch, deliveries, secrets),
    );
    const hasSucceeded = isWhole && finished.every(({ result }) => isSuccess(result));
    const grown = due.length === limit ? limit * 2 : limit;
    const nextClass = finished
      .map(({ result }) => result)
      .reduce<LatencyClass>(latencyClassAfter, latencyClass);
    const next = { latencyClass: nextClass, batchSize: hasSucceeded ? grown : 1 };
    await this.store(batch, finished, next);
    const hasMore = due.length === limit || !isWhole || deliveries.length < due.length;
    return hasMore ? nextClass : null;
  }

  /** The secrets of an endpoint; null where they cannot be opened, which pauses it with the reason. */
  private async openSecrets({ endpoint, owner }: Batch, now: Date): Promise<string[] | null> {
    const { _id, fault = null } = endpoint;
    try {
      return this.secrets.signing(endpoint, now);
    } catch (error) {
      const { message: reason } = error as Error;
      if (fault !== reason) {
        const endpointId = _id.toHexString();
        this.logger.error({ endpointId, reason }, 'Webhooks cannot be signed: the endpoint waits');
      }
      const pausedUntil = new Date(now.getTime() + faultPauseMs);
      await this.leases.release(_id, owner, { fault: reason, pausedUntil });
      return null;
    }
  }

  /** Attempts deliveries until one fails: then the endpoint is asked more slowly. */
  private async attemptAll(
    { endpoint, shutdown }: Batch,
    deliveries: readonly DueDelivery[],
    secrets: readonly string[],
  ): Promise<{ readonly finished: FinishedAttempt[]; readonly isWhole: boolean }> {
    const { _id, organizationId, url, latencyClass = 'new' } = endpoint;
    const messages = await this.messagesOf(organizationId, deliveries);
    const finished: FinishedAttempt[] = [];
    let isStopped = false;
    const attempt = async (delivery: DueDelivery, message: Message) => {
      if (isStopped || shutdown.stopping.aborted) return;
      const result = await traced(
        'webhook attempt',
        attributesOf(delivery, message),
        async (add) => {
          const sent = await this.sender.send({ url, secrets }, message, shutdown.aborting);
          add({ 'http.response.status_code': sent.statusCode ?? 0 });
          return sent;
        },
      );
      if (shutdown.aborting.aborted && result.statusCode === null) return;
      const now = this.clock.now();
      const outcome = outcomeOf(result, delivery.attempts, now, Math.random());
      finished.push({ delivery, url, result, outcome, now });
      this.counts.add(_id, isSuccess(result));
      this.unstored += 1;
      isStopped ||= !isSuccess(result);
    };
    const pool = new PQueue({ concurrency: this.slots.perEndpoint(latencyClass) });
    await pool.addAll(
      deliveries.map((delivery, index) => async () => {
        const message = messages.get(delivery.eventId.toHexString());
        if (message === undefined || isStopped) return;
        await this.slots.attempt(latencyClass, index, () => attempt(delivery, message));
      }),
    );
    return { finished, isWhole: finished.length === deliveries.length };
  }

  /** The messages of deliveries, by their events; a delivery whose event has expired fails. */
  private async messagesOf(
    organizationId: Types.ObjectId,
    deliveries: readonly DueDelivery[],
  ): Promise<ReadonlyMap<string, Message>> {
    const ids = deliveries.map(({ eventId }) => eventId);
    const events = await this.events.findWhole(organizationId, ids);
    const messages = new Map(events.map((event) => [event._id.toHexString(), messageOf(event)]));
    for (const { eventId, body } of deliveries) {
      // A test event, which may be replayed.
      if (body) messages.set(eventId.toHexString(), { id: messageIdOf(eventId), body });
    }
    const expired = deliveries.filter(({ eventId }) => !messages.has(eventId.toHexString()));
    if (expired.length > 0) {
      const expiredIds = expired.map(({ _id }) => _id);
      await this.queue.fail(expiredIds, 'event expired', this.clock.now());
    }
    return messages;
  }

  /** The deliveries come first: with the end of the lease the next batch has to see them as they are now. */
  private async store(
    { endpoint, owner }: Batch,
    finished: readonly FinishedAttempt[],
    next: Pick<FinishedBatch, 'latencyClass' | 'batchSize'>,
  ): Promise<void> {
    const { _id } = endpoint;
    const endpointId = _id.toHexString();
    try {
      if (finished.length === 0) {
        await this.leases.release(_id, owner);
        return;
      }
      for (const refused of await this.queue.store(finished)) {
        const deliveryId = refused._id.toHexString();
        const { reason } = refused;
        this.logger.error({ deliveryId, reason }, 'A delivery attempt could not be stored');
      }
      const results: AttemptResult[] = finished.map(({ result }) => result);
      const now = this.clock.now();
      const [reason] = await Promise.all([
        this.leases.finish(endpoint, owner, { ...next, results, now }),
        this.statistics.add(endpoint, results, now).catch((error: unknown) => {
          this.logger.warn({ err: error, endpointId }, 'Statistics of webhooks were lost');
        }),
      ]);
      if (reason !== null) this.logger.warn({ endpointId, reason }, 'An endpoint was disabled');
    } finally {
      this.unstored -= finished.length;
    }
  }
}

/** The first deliveries that are small together, or a single larger one. */
function firstBytes(deliveries: readonly DueDelivery[]): readonly DueDelivery[] {
  let bytes = 0;
  const end = deliveries.findIndex((delivery) => (bytes += delivery.bytes) > freeBytes);
  return end === -1 ? deliveries : deliveries.slice(0, Math.max(1, end));
}

function attributesOf({ type, endpointId, attempts }: DueDelivery, { id }: Message) {
  return {
    'webhook.id': id,
    'webhook.type': type,
    'webhook.endpoint_id': endpointId.toHexString(),
    'webhook.attempt': attempts + 1,
  };
}
