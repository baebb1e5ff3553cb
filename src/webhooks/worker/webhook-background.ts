import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { DutiesRepository } from '../../database/duties/duties.repository.js';
import { Duty } from '../../database/duties/duty.js';
import { OutboxChangeStream } from '../outbox/outbox-change-stream.js';
import { WebhookRelay } from '../outbox/webhook-relay.js';
import { PollingLoop } from './polling-loop.js';
import { WebhookWorker } from './webhook-worker.js';

/** For how long nobody relays events when the process that does has died (rule HOOK-9). */
const relayLeaseMs = 5_000;
/** How often events are looked for while the stream reports them (rule HOOK-10). */
const reportedIntervalMs = 5_000;
/** How often events are looked for that nothing reports, and deliveries while there are some. */
const intervalMs = 500;
/** How often deliveries are looked for by a process that has none. */
const idleIntervalMs = 1_000;

/** Runs the relay and the worker for as long as the process lives, where ROLE asks for them. */
@Injectable()
export class WebhookBackground implements OnModuleDestroy {
  private readonly relayLoop = new PollingLoop(
    () => this.relayEvents(),
    () => (this.changes.isReporting() ? reportedIntervalMs : intervalMs),
  );
  private readonly deliveryLoop = new PollingLoop(
    () => this.worker.deliverDue(),
    () => (this.worker.isIdle() ? idleIntervalMs : intervalMs),
  );
  private readonly relayDuty: Duty;
  private stopped: Promise<unknown> | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly relay: WebhookRelay,
    private readonly worker: WebhookWorker,
    private readonly changes: OutboxChangeStream,
    duties: DutiesRepository,
    clock: Clock,
  ) {
    this.relayDuty = new Duty(duties, clock, 'webhook-relay', relayLeaseMs);
  }

  /** Starts, unless this process serves the API only. */
  start(): void {
    if (this.environment.ROLE === 'api') return;
    this.relayLoop.start();
    this.deliveryLoop.start();
    this.changes.start(() => this.relayLoop.wake());
  }

  /** Starts nothing new; attempts that are running finish or are released. May be called again. */
  async stop(): Promise<void> {
    this.stopped ??= this.stopAll();
    await this.stopped;
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  private async stopAll(): Promise<void> {
    const relayStopped = Promise.all([this.changes.stop(), this.relayLoop.stop()]);
    // A database that is gone will notice by itself that nobody relays.
    const released = relayStopped.then(() => this.relayDuty.release()).catch(() => undefined);
    await Promise.all([released, this.deliveryLoop.stop(), this.worker.stop()]);
  }

  private async relayEvents(): Promise<void> {
    if (!(await this.relayDuty.isMine())) return;
    const { endpointIds, hasMore } = await this.relay.relay();
    if (hasMore) this.relayLoop.wake();
    if (endpointIds.length > 0) await this.worker.deliverTo(endpointIds);
  }
}
