import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { isLongPoll } from '../../core/http/server/request-metrics.js';
import { Metrics } from '../../core/observability/metrics.js';
import { dayMs, minuteMs, weekMs } from '../../core/values/time.js';
import { WebhookStatsService } from '../../webhooks/statistics/webhook-stats.service.js';
import type { Counts } from './call-counts.js';
import { keyCounts, operationIncrements } from './key-counts.js';
import { baselineWindowMs, hourOfWeek } from './traffic-baseline.js';
import { type QuarterHourCounts, UsageCounter } from './usage-counter.js';
import { type UsageIncrement, UsageStatsRepository } from './usage-stats.repository.js';

const intervalMs = 10_000;
const weekRetentionMs = weekMs + baselineWindowMs + dayMs;

/** Stores counts every ten seconds and at shutdown (rule OPS-32). */
@Injectable()
export class UsageRecorder implements BeforeApplicationShutdown {
  private readonly loop = new PollingLoop(
    'Could not store usage statistics; retrying in 10 seconds',
    () => this.storeBatch(),
    () => intervalMs,
  );
  private readonly counter: UsageCounter;
  private batch: readonly QuarterHourCounts[] = [];
  private storedAt: Date;
  private attempts = { delivered: 0, failed: 0 };

  constructor(
    private readonly stats: UsageStatsRepository,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly webhooks: WebhookStatsService,
    metrics: Metrics,
  ) {
    this.counter = new UsageCounter(clock);
    this.storedAt = clock.now();
    metrics.collect(
      'usage_lost_calls_total',
      'Calls that were not counted because the database was unavailable and the buffer was full.',
      () => this.counter.lostCalls,
    );
    metrics.collect('usage_waiting_minutes', 'Minutes since counted calls were last stored.', () =>
      Math.floor((clock.now().getTime() - this.storedAt.getTime()) / minuteMs),
    );
  }

  start(fastify: FastifyInstance): void {
    fastify.completedRequestListeners.push((completed, request) =>
      this.counter.count(completed, isLongPoll(request), keyCounts(completed, request)),
    );
    this.loop.start();
  }

  async store(): Promise<void> {
    await this.loop.run();
  }

  /** @returns how many requests were logged today before these */
  async countLogged(keyId: Types.ObjectId, now: Date, count: number): Promise<number> {
    const day = String(now.getUTCDay());
    const increment = weekOfKey(keyId, now.getTime(), { [`logged.${day}`]: count });
    const before = await this.stats.addLogged(increment);
    return before?.[day] ?? 0;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.finish();
    // The first run may only have repeated an earlier batch that failed.
    await this.loop.finish();
  }

  /** A batch with an unknown outcome is dropped: counts may be missing, but are never doubled. */
  private async storeBatch(): Promise<void> {
    this.countAttempts();
    if (this.batch.length === 0) this.batch = this.counter.take();
    const increments = this.batch.flatMap((quarterHour) => this.incrementsOf(quarterHour));
    if (increments.length === 0) return this.confirm();
    let isToBeCommitted = false;
    try {
      await this.transactions.run(async () => {
        isToBeCommitted = false;
        await this.stats.add(increments);
        isToBeCommitted = true;
      });
    } finally {
      if (isToBeCommitted) this.confirm();
    }
  }

  private confirm(): void {
    this.batch = [];
    this.storedAt = this.clock.now();
  }

  private countAttempts(): void {
    const { delivered, failed } = this.webhooks.attempts;
    const before = this.attempts;
    this.counter.countDeliveries(delivered - before.delivered, failed - before.failed);
    this.attempts = { delivered, failed };
  }

  private incrementsOf({ at, total, keys, routes }: QuarterHourCounts): UsageIncrement[] {
    const retentionMs = this.environment.USAGE_RETENTION_DAYS * dayMs;
    const encoded = [...routes].map(([route, counts]) => [encodeRoute(route), counts] as const);
    const names = { ...incrementPaths('keys', keys), ...incrementPaths('routes', encoded) };
    const ofAllKeys = { at, keyId: null, retentionMs, counts: total };
    const keyIds = [...keys.keys()].filter((id) => id !== 'none');
    return [
      { ...ofAllKeys, span: 'quarter', counts: { ...total, ...names } },
      { ...ofAllKeys, span: 'hour' },
      { ...ofAllKeys, span: 'day' },
      ...keyIds.map((id) => {
        const counts = keys.get(id) ?? {};
        const { calls = 0, refused = 0, failed = 0 } = counts;
        const hour = hourOfWeek(at);
        const errors = refused + failed;
        const hourCounts = {
          [`callsByHour.${hour}`]: calls,
          ...(errors > 0 && { [`errorsByHour.${hour}`]: errors }),
        };
        const increments = { ...hourCounts, ...operationIncrements(counts) };
        return weekOfKey(new Types.ObjectId(id), at, increments);
      }),
    ];
  }
}

function weekOfKey(keyId: Types.ObjectId, at: number, counts: Counts): UsageIncrement {
  return { span: 'week', at, keyId, retentionMs: weekRetentionMs, counts };
}

function incrementPaths(field: string, all: Iterable<readonly [string, Counts]>): Counts {
  const paths: Counts = {};
  for (const [name, counts] of all) {
    for (const [count, value] of Object.entries(counts)) paths[`${field}.${name}.${count}`] = value;
  }
  return paths;
}

function encodeRoute(route: string): string {
  return encodeURIComponent(route).replaceAll('.', '%2E');
}
