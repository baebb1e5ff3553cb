import { Logger } from '@nestjs/common';
import PQueue from 'p-queue';

/** How often it is asked whether a run is due. */
const pollIntervalMs = 250;

/** Runs work whenever it is woken and every so often, one run at a time. */
export class PollingLoop {
  private readonly logger = new Logger(PollingLoop.name);
  private readonly runs = new PQueue({ concurrency: 1 });
  private timer: NodeJS.Timeout | undefined;
  private isFailing = false;
  private ranAt = 0;

  /**
   * @param failure what the log says of a run that has failed
   * @param intervalMs how often it runs at least; it is asked four times a second
   */
  constructor(
    private readonly failure: string,
    private readonly work: () => Promise<unknown>,
    private readonly intervalMs: () => number,
  ) {}

  /** Starts with a first run. */
  start(): void {
    this.timer = setInterval(() => {
      // A timer may be early by a millisecond.
      const isDue = performance.now() - this.ranAt >= this.intervalMs() - pollIntervalMs / 2;
      if (isDue && this.runs.pending === 0) this.wake();
    }, pollIntervalMs);
    this.wake();
  }

  /** Starts a run now, or right after the one that is running. */
  wake(): void {
    const isStopped = this.timer === undefined;
    if (!isStopped && this.runs.size === 0) void this.runs.add(() => this.runSafely());
  }

  /** Starts no further run, and waits for the one that is running. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    this.runs.clear();
    await this.runs.onIdle();
  }

  /**
   * Only the first failure in a row is logged: the next run repeats the same. A run that is cut off because
   * the service ends is no failure.
   */
  private async runSafely(): Promise<void> {
    this.ranAt = performance.now();
    try {
      await this.work();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing && this.timer !== undefined)
        this.logger.warn({ err: error }, this.failure);
      this.isFailing = true;
    }
  }
}
