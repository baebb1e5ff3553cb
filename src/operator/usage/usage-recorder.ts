import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { isLongPoll } from '../../core/http/server/request-metrics.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { WebhookStatisticsService } from '../../webhooks/statistics/webhook-statistics.service.js';
import { leadCounts } from './lead-counts.js';
import { UsageCounter } from './usage-counter.js';
import { operationCounts } from './used-operations.js';
import { UsageStatsRepository } from './usage-stats.repository.js';

/** How often what was counted is stored. */
const intervalMs = 10_000;

/** Counts the calls of this process, and stores the counts every ten seconds and at its end (rule OPS-32). */
@Injectable()
export class UsageRecorder implements BeforeApplicationShutdown {
  private readonly loop = new PollingLoop(
    'Usage statistics could not be stored yet',
    () => this.store(),
    () => intervalMs,
  );
  private attempts = { delivered: 0, failed: 0 };

  constructor(
    private readonly counter: UsageCounter,
    private readonly stats: UsageStatsRepository,
    private readonly webhooks: WebhookStatisticsService,
  ) {}

  /** Counts from now on, as well as whoever else does. */
  start(fastify: FastifyInstance): void {
    const others = fastify.onCompletedRequest;
    fastify.onCompletedRequest = (completed, request) => {
      others?.(completed, request);
      this.counter.count(completed, isLongPoll(request), {
        ...leadCounts(completed, request),
        ...operationCounts(completed, request),
      });
    };
    this.loop.start();
  }

  /**
   * Stores the counts. A batch that was certainly not stored is stored the next time; one whose commit has
   * no known outcome is given up: counts may be missing, and are never doubled.
   */
  async store(): Promise<void> {
    this.countAttempts();
    const batch = this.counter.take();
    if (batch === undefined) return;
    await this.stats.add(batch, () => this.counter.confirm(batch));
  }

  /** Requests have ended by now; the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    try {
      // The first batch may be one that could not be stored before.
      await this.store();
      await this.store();
    } catch {
      // A database that is gone takes nothing: these calls are lost.
    }
  }

  private countAttempts(): void {
    const { delivered, failed } = this.webhooks.attempts;
    const before = this.attempts;
    this.counter.countDeliveries(delivered - before.delivered, failed - before.failed);
    this.attempts = { delivered, failed };
  }
}
