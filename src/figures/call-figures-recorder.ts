import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Clock } from '../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { DutiesRepository } from '../database/duties/duties.repository.js';
import { Duty } from '../database/duties/duty.js';
import { WebhookStatisticsService } from '../webhooks/webhook-statistics.service.js';
import { CallCounter } from './call-counter.js';
import { CallFiguresRepository } from './call-figures.repository.js';
import { FigureRollUps } from './figure-roll-ups.js';

/** How often what was counted is stored. */
const intervalMs = 10_000;
/** How long whoever makes hours may be silent. */
const leaseMs = 120_000;
/** How long the figures of minutes are kept (rule OPS-32). */
const minutesKeptMs = 30 * 86_400_000;

/**
 * Counts the calls of this process and stores the counts every ten seconds and at its end; one process of
 * all makes hours of them (rule OPS-32).
 */
@Injectable()
export class CallFiguresRecorder implements BeforeApplicationShutdown {
  private readonly logger = new Logger(CallFiguresRecorder.name);
  private readonly instance = randomUUID();
  private readonly duty: Duty;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isBusy = false;
  private hasFailed = false;
  /** The attempts to deliver that are counted. */
  private attempts = { delivered: 0, failed: 0 };

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly counter: CallCounter,
    private readonly figures: CallFiguresRepository,
    private readonly rollUps: FigureRollUps,
    private readonly webhooks: WebhookStatisticsService,
    private readonly clock: Clock,
    duties: DutiesRepository,
  ) {
    this.duty = new Duty(duties, clock, 'call figures', leaseMs);
  }

  /** Counts from now on, beside whoever else does; does nothing without OPS_PASSWORD. */
  start(fastify: FastifyInstance): void {
    if (this.environment.OPS_PASSWORD === undefined) return;
    const others = fastify.onCompletedRequest;
    fastify.onCompletedRequest = (request) => {
      others?.(request);
      this.counter.count(request);
    };
    this.timer = setInterval(() => this.tick(), intervalMs).unref();
  }

  /** Stores what was counted since it was stored last; what fails is tried again the next time. */
  async store(): Promise<void> {
    this.countAttempts();
    const now = this.clock.now();
    for (const minute of this.counter.takeChanged()) {
      try {
        const expiresAt = new Date(minute.at.getTime() + minutesKeptMs);
        const instance = `${this.instance}-${minute.run}`;
        await this.figures.saveMinute(instance, minute, { storedAt: now, expiresAt });
        this.hasFailed = false;
      } catch (error) {
        this.counter.giveBack(minute);
        this.reportFailure(error);
      }
    }
    this.counter.forgetStored();
  }

  /** Requests have ended by now; the database is still there. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    await this.running;
    await this.store();
    await this.duty.release().catch(() => undefined);
  }

  /** One at a time: a database that is slow is not asked for more. */
  private tick(): void {
    if (this.isBusy) return;
    this.isBusy = true;
    this.running = this.work().finally(() => (this.isBusy = false));
  }

  private async work(): Promise<void> {
    await this.store();
    try {
      if (await this.duty.isMine()) await this.rollUps.run();
    } catch (error) {
      this.reportFailure(error);
    }
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

  /** Once, until it works again: the log would say nothing else. */
  private reportFailure(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.logger.warn(`Figures of calls wait for the database: ${String(error)}`);
  }
}
