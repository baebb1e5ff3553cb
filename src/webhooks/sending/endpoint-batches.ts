import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  type AttemptResult,
  isSuccess,
  type LatencyClass,
  latencyClassAfter,
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
import { WebhookStatisticsRepository } from '../statistics/webhook-statistics.repository.js';
import { type AttemptSlots, freeBytes } from './attempt-slots.js';
import { type Batch, DeliveryAttempts, type Shutdown } from './delivery-attempts.js';

/** How long an endpoint waits whose secret cannot be opened, until that is tried again. */
const faultPauseMs = 60_000;

/** Delivers what is due at one endpoint, batch by batch: the attempts go, and are stored, together. */
@Injectable()
export class EndpointBatches {
  private readonly logger = new Logger(EndpointBatches.name);
  private readonly slots: AttemptSlots;
  private unstored = 0;

  constructor(
    private readonly attempts: DeliveryAttempts,
    private readonly leases: EndpointLeasesRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly secrets: EndpointSecrets,
    private readonly statistics: WebhookStatisticsRepository,
    private readonly clock: Clock,
  ) {
    this.slots = attempts.slots;
  }

  /** How many attempts of this process have a result that is not stored yet. */
  stats(): { readonly unstored: number } {
    return { unstored: this.unstored };
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
    } catch (error) {
      await this.leases.release(endpointId, owner).catch(() => undefined);
      throw error;
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
    const { finished, isWhole } = await this.slots.holding(latencyClass, bytes, () =>
      this.attempts.all(batch, deliveries, secrets),
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

  /** The deliveries come first: with the end of the lease the next batch has to see them as they are now. */
  private async store(
    { endpoint, owner }: Batch,
    finished: readonly FinishedAttempt[],
    next: Pick<FinishedBatch, 'latencyClass' | 'batchSize'>,
  ): Promise<void> {
    const { _id } = endpoint;
    const endpointId = _id.toHexString();
    this.unstored += finished.length;
    if (finished.length === 0) {
      await this.leases.release(_id, owner);
      return;
    }
    try {
      const refused = await this.queue.store(finished);
      for (const { _id: deliveryId, reason } of refused) {
        this.logger.error({ deliveryId, reason }, 'A delivery attempt could not be stored');
      }
    } catch (error) {
      // With the lease the next attempt waits, too: nothing is sent again and again meanwhile.
      this.logger.warn({ err: error, endpointId }, 'Results of deliveries could not be stored');
      return;
    } finally {
      this.unstored -= finished.length;
    }
    const results: AttemptResult[] = finished.map(({ result }) => result);
    const now = this.clock.now();
    const finish = () => this.leases.finish(endpoint, owner, { ...next, results, now });
    const [reason] = await Promise.all([
      finish().catch(finish),
      this.statistics.add(endpoint, results, now).catch((error: unknown) => {
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
