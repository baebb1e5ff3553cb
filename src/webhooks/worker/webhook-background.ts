import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { OutboxChangeStream } from '../outbox/outbox-change-stream.js';
import { WebhookRelay } from '../outbox/webhook-relay.js';
import { PollingLoop } from './polling-loop.js';
import { WebhookWorker } from './webhook-worker.js';

/** Runs the relay and the worker for as long as the process lives, where ROLE asks for them. */
@Injectable()
export class WebhookBackground implements OnModuleDestroy {
  private readonly relayLoop = new PollingLoop(() => this.relayEvents());
  private readonly deliveryLoop = new PollingLoop(() => this.worker.deliverDue());
  private stopped: Promise<unknown> | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly relay: WebhookRelay,
    private readonly worker: WebhookWorker,
    private readonly changes: OutboxChangeStream,
  ) {}

  /** Starts, unless this process serves the API only. */
  start(): void {
    if (this.environment.ROLE === 'api') return;
    this.relayLoop.start();
    this.deliveryLoop.start();
    this.changes.start(() => this.relayLoop.wake());
  }

  /** Starts nothing new; attempts that are running finish or are released. May be called again. */
  async stop(): Promise<void> {
    this.stopped ??= Promise.all(
      [this.changes, this.relayLoop, this.deliveryLoop, this.worker].map((part) => part.stop()),
    );
    await this.stopped;
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  private async relayEvents(): Promise<void> {
    const { deliveries, hasMore } = await this.relay.relay();
    if (deliveries > 0) this.deliveryLoop.wake();
    if (hasMore) this.relayLoop.wake();
  }
}
