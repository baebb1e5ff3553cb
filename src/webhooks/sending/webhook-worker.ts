import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import type { LatencyClass } from '../deliveries/delivery-outcome.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { WebhookFanOut } from '../deliveries/webhook-fan-out.js';
import {
  type EndpointLease,
  EndpointLeasesRepository,
} from '../endpoints/endpoint-leases.repository.js';
import { WebhookStatisticsService } from '../statistics/webhook-statistics.service.js';
import { AttemptSlots } from './attempt-slots.js';
import { type BatchEnd, DeliveryBatches, emptyBatch } from './delivery-batches.js';

const intervalMs = 250;
const shutdownGraceMs = 5_000;

/** Finds the endpoints with due deliveries, leases each in turn and has a batch sent. */
@Injectable()
export class WebhookWorker implements OnModuleDestroy {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly loop = new PollingLoop(
    'Could not look for due deliveries; trying again in 250 ms',
    () => this.deliverDue(),
    () => intervalMs,
  );
  private readonly waiting = new Set<string>();
  private isStopping = false;
  private readonly aborting = new AbortController();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly queue: DeliveryQueueRepository,
    private readonly leases: EndpointLeasesRepository,
    private readonly slots: AttemptSlots,
    private readonly batches: DeliveryBatches,
    private readonly fanOut: WebhookFanOut,
    private readonly statistics: WebhookStatisticsService,
    private readonly clock: Clock,
  ) {}

  start(): void {
    if (this.environment.ROLE === 'api') return;
    this.fanOut.onCreated(() => this.loop.wake());
    this.loop.start();
    this.statistics.start();
  }

  /** Begins no attempt, and ends running ones after a moment. May be called again. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.loop.stop();
    const timer = setTimeout(() => this.aborting.abort(), shutdownGraceMs);
    await this.slots.onIdle();
    clearTimeout(timer);
    await this.statistics.stop();
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  async deliverDue(): Promise<void> {
    const now = this.clock.now();
    const ids = await this.queue.endpointsDue(now);
    const others = ids.filter((id) => !this.waiting.has(id.toHexString()));
    if (others.length === 0) return;
    const turns = await this.leases.turns(others, now);
    for (const { _id, latencyClass = 'new', isReady } of turns) {
      if (isReady) this.queueTurn(_id, latencyClass);
    }
    const known = new Set(turns.map(({ _id }) => _id.toHexString()));
    for (const id of others) {
      if (!known.has(id.toHexString())) await this.queue.failWaiting(id, 'endpoint removed', now);
    }
  }

  private queueTurn(id: Types.ObjectId, latencyClass: LatencyClass): void {
    const key = id.toHexString();
    if (this.isStopping || this.waiting.has(key)) return;
    this.waiting.add(key);
    void this.slots.turn(latencyClass, async () => {
      if (this.isStopping) return;
      const next = await this.deliver(id);
      this.waiting.delete(key);
      // The next batch queues after the other endpoints.
      if (next !== null) this.queueTurn(id, next);
    });
  }

  /** Delivers a batch to an endpoint; returns its class if more may be due. Never rejects. */
  private async deliver(id: Types.ObjectId): Promise<LatencyClass | null> {
    try {
      const lease = await this.leases.lease(id);
      if (lease === null) return null;
      const { endpoint } = lease;
      const { hasMore, fields } = await this.sendBatch(lease);
      return hasMore ? (fields.latencyClass ?? endpoint.latencyClass ?? 'new') : null;
    } catch (error) {
      const endpointId = id.toHexString();
      const message = 'Could not deliver to an endpoint; trying again when its lease ends';
      this.logger.warn({ err: error, endpointId }, message);
      return null;
    }
  }

  private async sendBatch(lease: EndpointLease): Promise<BatchEnd> {
    const mayBegin = () => !this.isStopping && lease.coversAttempt;
    let end: BatchEnd | null = emptyBatch;
    try {
      end = await this.batches.send(lease.endpoint, { mayBegin, aborting: this.aborting.signal });
      return end ?? emptyBatch;
    } finally {
      if (end === null) lease.abandon();
      else await this.release(lease, end);
    }
  }

  private async release(lease: EndpointLease, { results, fields }: BatchEnd): Promise<void> {
    const { endpoint } = lease;
    const endpointId = endpoint._id.toHexString();
    const release = () => lease.release(fields);
    const [isStored] = await Promise.all([
      release().catch(release),
      results.length > 0 &&
        this.statistics.add(endpoint, results, this.clock.now()).catch((error: unknown) => {
          this.logger.warn({ err: error, endpointId }, 'Could not store statistics of webhooks');
        }),
    ]);
    if (!isStored || fields.isEnabled !== false) return;
    this.logger.warn({ endpointId, reason: fields.disabledReason }, 'An endpoint was disabled');
  }
}
