import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Outbox } from '../../events/outbox/outbox.js';
import { EventNumbering } from '../../events/outbox/event-numbering.js';
import { WebhookFiguresRecorder } from '../statistics/webhook-figures-recorder.js';
import { WebhookRelay } from './webhook-relay.js';
import { WebhookWorker } from './webhook-worker.js';

/** How long a process that relays may be silent before another one takes over (rule HOOK-9). */
const relayLeaseMs = 2_000;
/** How often events are looked for, which other processes may have published (rule HOOK-10). */
const relayIntervalMs = 250;
/** How often deliveries are looked for while there are some. */
const deliveryIntervalMs = 500;
/** How long events wait for others after some were numbered: few at a time cost the database more. */
const gatherMs = 100;
/** How often deliveries are looked for by a process that has none. */
const idleIntervalMs = 1_000;

/** Runs the relay and the worker for as long as the process lives, where ROLE asks for them. */
@Injectable()
export class WebhookBackground implements OnModuleDestroy {
  private readonly relayLoop = new PollingLoop(
    'Events could not be relayed',
    () => this.relayEvents(),
    () => relayIntervalMs,
  );
  private readonly deliveryLoop = new PollingLoop(
    'Webhooks could not be delivered',
    () => this.worker.deliverDue(),
    () => (this.worker.isIdle() ? idleIntervalMs : deliveryIntervalMs),
  );
  private readonly relayLease: Lease;
  private readonly stopping = new AbortController();
  private stopped: Promise<unknown> | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly relay: WebhookRelay,
    private readonly worker: WebhookWorker,
    private readonly outbox: Outbox,
    private readonly numbering: EventNumbering,
    private readonly figures: WebhookFiguresRecorder,
    leases: Leases,
  ) {
    this.relayLease = leases.of('webhook-relay', relayLeaseMs);
  }

  /** Starts, unless this process serves the API only. */
  start(): void {
    if (this.environment.ROLE === 'api') return;
    this.relayLoop.start();
    this.deliveryLoop.start();
    this.outbox.onPublished(() => this.relayLoop.wake());
    this.figures.start();
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
    this.stopping.abort();
    // A database that is gone will notice by itself that nobody relays.
    const relayStopped = this.relayLoop.stop().then(() => this.relayLease.release());
    const released = relayStopped.catch(() => undefined);
    await Promise.all([released, this.deliveryLoop.stop(), this.worker.stop()]);
    await this.figures.stop();
  }

  private async relayEvents(): Promise<void> {
    if (!(await this.relayLease.isMine())) {
      // Who has it meanwhile may die in the middle of numbering.
      this.numbering.lookForPlans();
      return;
    }
    const { endpointIds, hasDone, hasMore } = await this.relay.relay();
    if (endpointIds.length > 0) await this.worker.deliverTo(endpointIds);
    if (hasMore) this.relayLoop.wake();
    else if (hasDone) await this.gatherEvents();
  }

  private async gatherEvents(): Promise<void> {
    const { signal } = this.stopping;
    await delay(gatherMs, undefined, { signal }).catch(() => undefined);
  }
}
