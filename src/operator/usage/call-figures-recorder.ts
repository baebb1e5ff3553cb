import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { WebhookStatisticsService } from '../../webhooks/statistics/webhook-statistics.service.js';
import { dayMs } from '../../core/values/durations.js';
import { CallCounter } from './call-counter.js';
import { CallFiguresRepository } from './call-figures.repository.js';
import { FigureRollUps } from './figure-roll-ups.js';

/** How often what was counted is stored. */
const intervalMs = 10_000;
/** How long whoever makes hours may be silent. */
const leaseMs = 120_000;
/** How long the figures of minutes are kept (rule OPS-32). */
const minutesKeptMs = 30 * dayMs;

/**
 * Counts the calls of this process and stores the counts every ten seconds and at its end; one process of
 * all makes hours of them (rule OPS-32).
 */
@Injectable()
export class CallFiguresRecorder implements BeforeApplicationShutdown {
  private readonly instance = randomUUID();
  private readonly lease: Lease;
  private readonly loop = new PollingLoop(
    'Figures of calls wait for the database',
    () => this.work(),
    () => intervalMs,
  );
  /** The attempts to deliver that are counted. */
  private attempts = { delivered: 0, failed: 0 };

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly counter: CallCounter,
    private readonly figures: CallFiguresRepository,
    private readonly rollUps: FigureRollUps,
    private readonly webhooks: WebhookStatisticsService,
    private readonly clock: Clock,
    leases: Leases,
  ) {
    this.lease = leases.of('call figures', leaseMs);
  }

  /** Counts from now on, beside whoever else does; does nothing without OPS_PASSWORD. */
  start(fastify: FastifyInstance): void {
    if (this.environment.OPS_PASSWORD === undefined) return;
    const others = fastify.onCompletedRequest;
    fastify.onCompletedRequest = (completed, request) => {
      others?.(completed, request);
      this.counter.count(completed);
    };
    this.loop.start();
  }

  /**
   * Stores what was counted since it was stored last.
   *
   * @throws Error where some of it could not be stored; it is tried again the next time
   */
  async store(): Promise<void> {
    this.countAttempts();
    const storedAt = this.clock.now();
    const saved = await Promise.allSettled(
      this.counter.takeChanged().map(async (minute) => {
        const expiresAt = new Date(minute.at.getTime() + minutesKeptMs);
        const instance = `${this.instance}-${minute.run}`;
        await this.figures
          .saveMinute(instance, minute, { storedAt, expiresAt })
          .catch((error: unknown) => {
            this.counter.giveBack(minute);
            throw error;
          });
      }),
    );
    this.counter.forgetStored();
    const failed = saved.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  /** Requests have ended by now; the database is still there. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.environment.OPS_PASSWORD === undefined) return;
    await this.loop.stop();
    // A database that is gone takes neither.
    await this.store().catch(() => undefined);
    await this.lease.release().catch(() => undefined);
  }

  private async work(): Promise<void> {
    await this.store();
    if (await this.lease.isMine()) await this.rollUps.run();
  }

  private countAttempts(): void {
    const total = { delivered: 0, failed: 0 };
    for (const { delivered, failed } of this.webhooks.attemptsByEndpoint()) {
      total.delivered += delivered;
      total.failed += failed;
    }
    const { delivered, failed } = this.attempts;
    this.counter.countDeliveries(total.delivered - delivered, total.failed - failed);
    this.attempts = total;
  }
}
