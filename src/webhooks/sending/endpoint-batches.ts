import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Gauge } from 'prom-client';
import { Clock } from '../../core/configuration/clock.js';
import { Metrics } from '../../core/observability/metrics.js';
import { isSuccess, type LatencyClass, latencyClassAfter } from '../deliveries/delivery-outcome.js';
import {
  DeliveryQueueRepository,
  type DueDelivery,
  failedTogether,
  type FinishedAttempt,
} from '../deliveries/delivery-queue.repository.js';
import {
  type BatchEnd,
  EndpointLeasesRepository,
  leaseMs,
} from '../endpoints/endpoint-leases.repository.js';
import { SecretKeys } from '../endpoints/secret-keys.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookStatisticsService } from '../statistics/webhook-statistics.service.js';
import { AttemptSlots, freeBytes } from './attempt-slots.js';
import { DeliveryAttempts, type Shutdown } from './delivery-attempts.js';

/** How long an endpoint waits whose secret cannot be opened, until that is tried again. */
const faultPauseMs = 60_000;

/** The end of a batch, and the class of the endpoint where more may be due. */
interface Delivered extends BatchEnd {
  readonly next: LatencyClass | null;
}

/** Delivers what is due at one endpoint, batch by batch: the attempts go, and are stored, together. */
@Injectable()
export class EndpointBatches {
  private readonly logger = new Logger(EndpointBatches.name);
  private readonly unstored: Gauge;

  constructor(
    private readonly slots: AttemptSlots,
    private readonly attempts: DeliveryAttempts,
    private readonly leases: EndpointLeasesRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly secrets: SecretKeys,
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
    let delivered: Delivered | null = this.withoutResults();
    try {
      delivered = await this.deliverLeased(endpoint, shutdown);
      return delivered?.next ?? null;
    } finally {
      clearInterval(renewing);
      if (delivered !== null) await this.release(endpoint, owner, delivered);
    }
  }

  /** Delivers one batch; null when its results could not be stored: with the lease the next attempt waits, too. */
  private async deliverLeased(
    endpoint: WebhookEndpointDocument,
    shutdown: Shutdown,
  ): Promise<Delivered | null> {
    const { _id, latencyClass = 'new', pausedUntil } = endpoint;
    const now = this.clock.now();
    if (endpoint.isEnabled !== true) {
      const reason = endpoint.removedAt ? 'endpoint removed' : 'endpoint disabled';
      // It may be enabled meanwhile, and what comes after that is to be sent.
      const failed = await this.queue.failWaiting(_id, reason, now, now);
      return this.withoutResults({}, failed === failedTogether ? latencyClass : null);
    }
    if (pausedUntil && pausedUntil > now) return this.withoutResults();
    let secrets: string[];
    try {
      secrets = this.secrets.signing(endpoint, now);
    } catch (error) {
      return this.faulty(endpoint, error as Error);
    }
    const due = await this.queue.findDue(_id, now, this.limitOf(endpoint));
    return due.length === 0
      ? this.withoutResults()
      : this.deliverDue(endpoint, { due, secrets, shutdown });
  }

  private async deliverDue(
    endpoint: WebhookEndpointDocument,
    { due, secrets, shutdown }: { due: DueDelivery[]; secrets: string[]; shutdown: Shutdown },
  ): Promise<Delivered | null> {
    const { _id, latencyClass = 'new' } = endpoint;
    const limit = this.limitOf(endpoint);
    const deliveries = firstBytes(due);
    const bytes = Math.max(...deliveries.map((delivery) => delivery.bytes));
    const finished = await this.slots.holding(latencyClass, bytes, () =>
      this.attempts.all(endpoint, deliveries, secrets, shutdown),
    );
    if (!(await this.store(_id, finished))) return null;
    const results = finished.map(({ result }) => result);
    const nextClass = results.reduce<LatencyClass>(latencyClassAfter, latencyClass);
    const hasSucceeded = results.length === deliveries.length && results.every(isSuccess);
    const grown = due.length === limit ? limit * 2 : limit;
    const fields = { latencyClass: nextClass, batchSize: hasSucceeded ? grown : 1 };
    const hasMore = due.length === limit || finished.length < due.length;
    return {
      results,
      fields: results.length === 0 ? {} : fields,
      now: this.clock.now(),
      next: hasMore ? nextClass : null,
    };
  }

  private limitOf({ latencyClass = 'new', batchSize = 1 }: WebhookEndpointDocument): number {
    return Math.min(batchSize, this.slots.largestBatch(latencyClass));
  }

  private withoutResults(
    fields: BatchEnd['fields'] = {},
    next: LatencyClass | null = null,
  ): Delivered {
    return { results: [], fields, now: this.clock.now(), next };
  }

  /** Has an endpoint wait whose secrets cannot be opened. */
  private faulty({ _id, fault }: WebhookEndpointDocument, { message: reason }: Error): Delivered {
    if (fault !== reason) {
      const endpointId = _id.toHexString();
      this.logger.error({ endpointId, reason }, 'Webhooks cannot be signed: the endpoint waits');
    }
    const pausedUntil = new Date(this.clock.now().getTime() + faultPauseMs);
    return this.withoutResults({ fault: reason, pausedUntil });
  }

  /** Stores results before the lease ends: the next batch has to see the deliveries as they are now. */
  private async store(
    endpointId: Types.ObjectId,
    finished: readonly FinishedAttempt[],
  ): Promise<boolean> {
    if (finished.length === 0) return true;
    this.unstored.inc(finished.length);
    try {
      for (const { _id, reason } of await this.queue.store(finished)) {
        this.logger.error({ deliveryId: _id, reason }, 'A delivery attempt could not be stored');
      }
      return true;
    } catch (error) {
      this.logger.warn({ err: error, endpointId }, 'Results of deliveries could not be stored');
      return false;
    } finally {
      this.unstored.dec(finished.length);
    }
  }

  private async release(
    endpoint: WebhookEndpointDocument,
    owner: string,
    end: BatchEnd,
  ): Promise<void> {
    const endpointId = endpoint._id.toHexString();
    const release = () => this.leases.release(endpoint, owner, end);
    const [reason] = await Promise.all([
      release().catch(release),
      end.results.length > 0 &&
        this.statistics.add(endpoint, end.results, end.now).catch((error: unknown) => {
          this.logger.warn({ err: error, endpointId }, 'Statistics of webhooks were lost');
        }),
    ]);
    if (reason !== null) this.logger.warn({ endpointId, reason }, 'An endpoint was disabled');
  }
}

/** The first deliveries that are small together, or a single larger one. */
function firstBytes(deliveries: readonly DueDelivery[]): readonly DueDelivery[] {
  let bytes = 0;
  const end = deliveries.findIndex((delivery) => (bytes += delivery.bytes) > freeBytes);
  return end === -1 ? deliveries : deliveries.slice(0, Math.max(1, end));
}
