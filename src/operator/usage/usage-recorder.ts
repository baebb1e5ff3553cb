import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { isLongPoll } from '../../core/http/server/request-metrics.js';
import { Metrics } from '../../core/observability/metrics.js';
import { minuteMs } from '../../core/values/time.js';
import { KeyActivityService } from './key-activity.service.js';
import { leadCounts } from './lead-counts.js';
import { type QuarterHourCounts, UsageCounter } from './usage-counter.js';
import { UsageRepository } from './usage.repository.js';

const intervalMs = 10_000;

/** Stores counts every ten seconds and at shutdown (rule OPS-32). */
@Injectable()
export class UsageRecorder implements BeforeApplicationShutdown {
  private readonly loop = new PollingLoop(
    'Could not store usage statistics; retrying in 10 seconds',
    () => this.storeBatch(),
    () => intervalMs,
  );
  private readonly counter: UsageCounter;
  private batch: QuarterHourCounts[] = [];
  private storedAt: Date;

  constructor(
    private readonly usage: UsageRepository,
    private readonly activity: KeyActivityService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
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
    fastify.completedRequestListeners.push((completed, request) => {
      this.counter.count(completed, isLongPoll(request), leadCounts(completed, request));
      this.activity.note(completed, request);
    });
    this.loop.start();
  }

  async store(): Promise<void> {
    await this.loop.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.finish();
    // The first run may only have repeated an earlier batch that failed.
    await this.loop.finish();
  }

  private async storeBatch(): Promise<void> {
    if (this.batch.length === 0) this.batch = this.counter.take();
    for (let [first] = this.batch; first !== undefined; [first] = this.batch) {
      await this.storeQuarterHour(first);
    }
    await this.activity.store();
    this.storedAt = this.clock.now();
  }

  /** Counts with an unknown outcome are dropped: counts may be missing, but are never doubled. */
  private async storeQuarterHour({ at, pairs }: QuarterHourCounts): Promise<void> {
    const increments = [...pairs.values()].map(({ apiKeyId, route, counts }) => ({
      at: new Date(at),
      apiKeyId: apiKeyId === null ? null : new Types.ObjectId(apiKeyId),
      route,
      counts,
    }));
    let isToBeCommitted = false;
    try {
      await this.transactions.run(async () => {
        isToBeCommitted = false;
        await this.usage.add(increments);
        isToBeCommitted = true;
      });
    } finally {
      if (isToBeCommitted) this.batch.shift();
    }
  }
}
