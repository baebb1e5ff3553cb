import { Logger } from '@nestjs/common';
import PQueue from 'p-queue';
import type { Lease } from './leases.js';

const pollIntervalMs = 250;

/** Runs work periodically and when woken, never concurrently. */
export class PollingLoop {
  private readonly logger = new Logger(PollingLoop.name);
  private readonly queue = new PQueue({ concurrency: 1 });
  private timer: NodeJS.Timeout | undefined;
  private isFailing = false;
  private lastRunAt = 0;

  /**
   * @param intervalMs longest pause between two runs; read four times per second
   * @param lease permits the work to its owner only; without a lease, every process runs the work
   */
  constructor(
    private readonly failureMessage: string,
    private readonly work: () => Promise<unknown>,
    private readonly intervalMs: () => number,
    private readonly lease?: Lease,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      // A timer may fire a millisecond early.
      const isDue = performance.now() - this.lastRunAt >= this.intervalMs() - pollIntervalMs / 2;
      if (isDue && this.queue.pending === 0) this.wake();
    }, pollIntervalMs);
    this.wake();
  }

  wake(): void {
    const isStopped = this.timer === undefined;
    if (!isStopped && this.queue.size === 0) void this.queue.add(() => this.runSafely());
  }

  /** Runs the work after a running one; rejects if it fails. */
  async run(): Promise<void> {
    await this.queue.add(this.work);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    this.queue.clear();
    await this.queue.onIdle();
    // If the database does not respond, the lease expires by itself.
    await this.lease?.release().catch(() => undefined);
  }

  /** Runs the work a last time; anything it cannot store is lost. */
  async finish(): Promise<void> {
    await this.stop();
    await this.run().catch(() => undefined);
  }

  /** Logs only the first of consecutive failures, and none that shutdown causes. */
  private async runSafely(): Promise<void> {
    this.lastRunAt = performance.now();
    try {
      if ((await this.lease?.acquire()) !== false) await this.work();
      this.isFailing = false;
    } catch (error) {
      const isFirst = !this.isFailing && this.timer !== undefined;
      if (isFirst) this.logger.warn({ err: error }, this.failureMessage);
      this.isFailing = true;
    }
  }
}
