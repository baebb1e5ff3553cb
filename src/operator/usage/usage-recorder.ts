import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { isLongPoll } from '../../core/http/server/request-metrics.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { WebhookStatisticsService } from '../../webhooks/statistics/webhook-statistics.service.js';
import { UsageCounter } from './usage-counter.js';
import { keyCounts } from './key-counts.js';
import { UsageStatsRepository } from './usage-stats.repository.js';

const intervalMs = 10_000;

/** Counts the calls of this process and stores them every ten seconds and at shutdown (rule OPS-32). */
@Injectable()
export class UsageRecorder implements BeforeApplicationShutdown {
  private readonly loop = new PollingLoop(
    'Could not store usage statistics; trying again in 10 seconds',
    () => this.storeBatch(),
    () => intervalMs,
  );
  private attempts = { delivered: 0, failed: 0 };

  constructor(
    private readonly counter: UsageCounter,
    private readonly stats: UsageStatsRepository,
    private readonly webhooks: WebhookStatisticsService,
  ) {}

  /** Counts from now on, after other listeners. */
  start(fastify: FastifyInstance): void {
    const others = fastify.onCompletedRequest;
    fastify.onCompletedRequest = (completed, request) => {
      others?.(completed, request);
      this.counter.count(completed, isLongPoll(request), keyCounts(completed, request));
    };
    this.loop.start();
  }

  async store(): Promise<void> {
    await this.loop.run();
  }

  /** A batch whose commit has no known outcome is dropped: counts may be missing, but are never doubled. */
  private async storeBatch(): Promise<void> {
    this.countAttempts();
    const batch = this.counter.take();
    if (batch === undefined) return;
    await this.stats.add(batch, () => this.counter.confirm(batch));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    try {
      // The first may be an earlier batch that failed.
      await this.store();
      await this.store();
    } catch {}
  }

  private countAttempts(): void {
    const { delivered, failed } = this.webhooks.attempts;
    const before = this.attempts;
    this.counter.countDeliveries(delivered - before.delivered, failed - before.failed);
    this.attempts = { delivered, failed };
  }
}
