import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import type { LatencyClass } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookDeliveriesRepository } from '../deliveries/webhook-deliveries.repository.js';
import { DeliveriesCreated } from '../deliveries/deliveries-created.js';
import { DeliveryBatches } from './delivery-batches.js';

const intervalMs = 250;
const shutdownGraceMs = 5_000;

/** Gives each endpoint with due deliveries one batch per turn. */
@Injectable()
export class WebhookWorker implements OnModuleDestroy {
  private readonly loop = new PollingLoop(
    'Could not look for due deliveries; retrying in 250 ms',
    () => this.deliverDue(),
    () => intervalMs,
  );
  private readonly queuedEndpoints = new Set<string>();
  private hadDue = false;

  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly batches: DeliveryBatches,
    private readonly created: DeliveriesCreated,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.created.subscribe(() => this.loop.wake());
    this.loop.start();
  }

  /** Starts no more attempts and aborts running ones after a few seconds. Idempotent. */
  async stop(): Promise<void> {
    this.batches.stopping.abort();
    await this.loop.stop();
    const timer = setTimeout(() => this.batches.aborting.abort(), shutdownGraceMs);
    await this.batches.slots.onIdle();
    clearTimeout(timer);
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  async deliverDue(): Promise<void> {
    const now = this.clock.now();
    // Deliveries of a paused endpoint stay due, so the cheaper query would find them every time.
    if (!this.hadDue && !(await this.deliveries.hasDue(now))) return;
    const endpoints = await this.deliveries.findDueEndpoints(now);
    this.hadDue = endpoints.length > 0;
    for (const { _id, isReady, latencyClass } of endpoints) {
      if (isReady === undefined)
        await this.deliveries.failPendingBatch(_id, 'endpoint removed', now);
      else if (isReady) this.queueTurn(_id, latencyClass ?? 'new');
    }
  }

  private queueTurn(id: Types.ObjectId, latencyClass: LatencyClass): void {
    const key = id.toHexString();
    if (this.batches.stopping.signal.aborted || this.queuedEndpoints.has(key)) return;
    this.queuedEndpoints.add(key);
    void this.batches.slots.runTurn(latencyClass, async () => {
      const next = await this.batches.deliver(id);
      this.queuedEndpoints.delete(key);
      // The next batch queues after the other endpoints.
      if (next !== null) this.queueTurn(id, next);
    });
  }
}
