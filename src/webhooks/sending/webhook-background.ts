import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { OutboxChangeStream } from '../../events/outbox/outbox-change-stream.js';
import { EventNumbering } from '../../events/outbox/event-numbering.js';
import { WebhookFiguresRecorder } from '../statistics/webhook-figures-recorder.js';
import { WebhookRelay } from './webhook-relay.js';
import { WebhookWorker } from './webhook-worker.js';

/** How long a process that relays may be silent before another one takes over (rule HOOK-9). */
const relayLeaseMs = 2_000;
/** How often events are looked for, and deliveries while there are some (rule HOOK-10). */
const intervalMs = 500;
/** How long events wait for others after some were numbered: few at a time cost the database more. */
const gatherMs = 100;
/** How often deliveries are looked for by a process that has none. */
const idleIntervalMs = 1_000;

/** Runs the relay and the worker for as long as the process lives, where ROLE asks for them. */
@Injectable()
export class WebhookBackground implements OnModuleDestroy {
  /** The lease is renewed, or asked for, more often than events are looked for. */
  private readonly relayLoop = new PollingLoop(
    'Events could not be relayed',
    () => this.relayEvents(),
    () => intervalMs,
  );
  private readonly deliveryLoop = new PollingLoop(
    'Webhooks could not be delivered',
    () => this.worker.deliverDue(),
    () => (this.worker.isIdle() ? idleIntervalMs : intervalMs),
  );
  private readonly relayLease: Lease;
  private mayHaveEvents = true;
  private relayedAt = Number.NEGATIVE_INFINITY;
  private readonly stopping = new AbortController();
  private stopped: Promise<unknown> | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly relay: WebhookRelay,
    private readonly worker: WebhookWorker,
    private readonly changes: OutboxChangeStream,
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
    this.changes.start(() => this.relaySoon());
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
    const relayStopped = Promise.all([this.changes.stop(), this.relayLoop.stop()]);
    // A database that is gone will notice by itself that nobody relays.
    const released = relayStopped.then(() => this.relayLease.release()).catch(() => undefined);
    await Promise.all([released, this.deliveryLoop.stop(), this.worker.stop()]);
    await this.figures.stop();
  }

  private relaySoon(): void {
    this.mayHaveEvents = true;
    this.relayLoop.wake();
  }

  private async relayEvents(): Promise<void> {
    if (!(await this.relayLease.isMine())) {
      // Who has it meanwhile may die in the middle of numbering.
      this.numbering.lookForPlans();
      return;
    }
    if (!this.isRelayDue()) return;
    this.mayHaveEvents = false;
    this.relayedAt = performance.now();
    const { endpointIds, hasDone, hasMore } = await this.relay.relay().catch((error: unknown) => {
      this.mayHaveEvents = true;
      throw error;
    });
    if (endpointIds.length > 0) await this.worker.deliverTo(endpointIds);
    if (hasMore) this.relaySoon();
    else if (hasDone) await this.gatherEvents();
  }

  private isRelayDue(): boolean {
    // A timer may be early by a millisecond.
    return this.mayHaveEvents || performance.now() - this.relayedAt >= intervalMs / 2;
  }

  private async gatherEvents(): Promise<void> {
    const { signal } = this.stopping;
    await delay(gatherMs, undefined, { signal }).catch(() => undefined);
  }
}
