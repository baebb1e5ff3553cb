import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import type { LatencyClass } from '../deliveries/delivery-outcome.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { WebhookFanOut } from '../deliveries/webhook-fan-out.js';
import { EndpointLeasesRepository } from '../endpoints/endpoint-leases.repository.js';
import { WebhookStatisticsService } from '../statistics/webhook-statistics.service.js';
import { AttemptSlots } from './attempt-slots.js';
import { EndpointBatches } from './endpoint-batches.js';

/** How often deliveries are looked for that other processes created, or that became due (rule HOOK-10). */
const intervalMs = 250;
/** How long attempts that are running at a shutdown may continue (rule HOOK-9). */
const shutdownGraceMs = 5_000;

/** Finds the endpoints with something due and gives each its turn. */
@Injectable()
export class WebhookWorker implements OnModuleDestroy {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly loop = new PollingLoop(
    'Webhooks could not be delivered',
    () => this.deliverDue(),
    () => intervalMs,
  );
  /** The endpoints that wait for their turn or have it. */
  private readonly waiting = new Set<string>();
  private readonly running = new Set<Promise<unknown>>();
  private readonly stopping = new AbortController();
  private readonly aborting = new AbortController();
  private stopped: Promise<void> | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly queue: DeliveryQueueRepository,
    private readonly leases: EndpointLeasesRepository,
    private readonly slots: AttemptSlots,
    private readonly batches: EndpointBatches,
    private readonly fanOut: WebhookFanOut,
    private readonly statistics: WebhookStatisticsService,
    private readonly clock: Clock,
  ) {}

  /** Starts, unless this process serves the API only. */
  start(): void {
    if (this.environment.ROLE === 'api') return;
    this.fanOut.onCreated(() => this.loop.wake());
    this.loop.start();
    this.statistics.start();
  }

  /** Begins no attempt, lets those that run finish for a moment, and ends the rest. May be called again. */
  async stop(): Promise<void> {
    this.stopped ??= this.stopAll();
    await this.stopped;
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  /** Starts the deliveries that are due, as far as there is room; the others follow. */
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
      if (known.has(id.toHexString())) continue;
      await this.queue.failWaiting(id, 'endpoint removed', now);
    }
  }

  private queueTurn(id: Types.ObjectId, latencyClass: LatencyClass): void {
    const key = id.toHexString();
    if (this.stopping.signal.aborted || this.waiting.has(key)) return;
    this.waiting.add(key);
    void this.slots.turn(latencyClass, async () => {
      if (this.stopping.signal.aborted) return;
      const batch = this.deliver(id);
      this.running.add(batch);
      const next = await batch;
      this.running.delete(batch);
      this.waiting.delete(key);
      // The others that wait come first.
      if (next !== null) this.queueTurn(id, next);
    });
  }

  /** Never rejects: an endpoint that could not be delivered to is free when its lease ends. */
  private async deliver(id: Types.ObjectId): Promise<LatencyClass | null> {
    const shutdown = { stopping: this.stopping.signal, aborting: this.aborting.signal };
    try {
      return await this.batches.deliver(id, shutdown);
    } catch (error) {
      this.logger.warn({ err: error }, 'Deliveries to an endpoint failed and wait for its lease');
      return null;
    }
  }

  private async stopAll(): Promise<void> {
    this.stopping.abort();
    await this.loop.stop();
    const timer = setTimeout(() => this.aborting.abort(), shutdownGraceMs);
    while (this.running.size > 0) await Promise.all(this.running);
    clearTimeout(timer);
    await this.statistics.stop();
  }
}
