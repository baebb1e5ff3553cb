import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { OutboxWatch } from '../outbox/outbox-watch.js';
import { PassLoop } from './pass-loop.js';
import { WebhookRelay } from '../outbox/webhook-relay.js';
import { WebhookWorker } from './webhook-worker.js';

/** How often is looked for work that nobody has told of. */
const pollInterval = 500;

/** Runs the relay and the worker for as long as the process lives, where ROLE wants them. */
@Injectable()
export class WebhookBackground implements OnModuleDestroy {
  private readonly logger = new Logger(WebhookBackground.name);
  private readonly relaying = new PassLoop(() => this.carefully(() => this.relayPass()));
  private readonly delivering = new PassLoop(() => this.carefully(() => this.workerPass()));
  private stopped: Promise<void> | undefined;
  private isFailing = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly relay: WebhookRelay,
    private readonly worker: WebhookWorker,
    private readonly watch: OutboxWatch,
    private readonly clock: Clock,
  ) {}

  /** Begins, unless this process serves the API only. */
  start(): void {
    if (this.environment.ROLE === 'api') return;
    this.relaying.start();
    this.delivering.start();
    this.watch.start(() => this.relaying.wake());
  }

  /**
   * Ends: nothing new is begun, tries that are running are finished or given back. Later calls join
   * the first one.
   */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  private async end(): Promise<void> {
    await Promise.all([
      this.watch.stop(),
      this.relaying.stop(),
      this.delivering.stop(),
      this.worker.stop(),
    ]);
  }

  private async relayPass(): Promise<number> {
    const { deliveries, hasMore } = await this.relay.relay();
    if (deliveries > 0) this.delivering.wake();
    return hasMore ? 0 : pollInterval;
  }

  private async workerPass(): Promise<number> {
    const next = await this.worker.pass();
    if (next === null) return pollInterval;
    return Math.max(0, Math.min(pollInterval, next.getTime() - this.clock.now().getTime()));
  }

  /** A pass that fails is tried again; only the first failure in a row is news. */
  private async carefully(pass: () => Promise<number>): Promise<number> {
    try {
      const rest = await pass();
      this.isFailing = false;
      return rest;
    } catch (error) {
      if (!this.isFailing) this.logger.warn({ err: error }, 'Webhooks could not be looked after');
      this.isFailing = true;
      return pollInterval;
    }
  }
}
