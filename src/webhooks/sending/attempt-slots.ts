import PQueue from 'p-queue';
import type { LatencyClass } from '../endpoints/webhook-endpoint.schema.js';

/** Limits new and slow endpoints, so that fast ones keep free slots (rule HOOK-8). */
export class AttemptSlots {
  private readonly all: PQueue;
  private readonly classes: Readonly<Record<LatencyClass, ReturnType<typeof classQueues>>>;

  constructor(private readonly concurrency: number) {
    this.all = new PQueue({ concurrency });
    this.classes = {
      fast: classQueues(concurrency, 2),
      new: classQueues(shareOf(concurrency, 1 / 2), 1),
      slow: classQueues(shareOf(concurrency, 1 / 4), 1),
    };
  }

  perEndpoint(latencyClass: LatencyClass): number {
    return shareOf(this.concurrency, latencyClass === 'fast' ? 1 / 4 : 1 / 16);
  }

  maxBatchSize(latencyClass: LatencyClass): number {
    return this.perEndpoint(latencyClass) * (latencyClass === 'fast' ? 4 : 1);
  }

  runTurn<T>(latencyClass: LatencyClass, work: () => Promise<T>): Promise<T> {
    return this.classes[latencyClass].turns.add(work);
  }

  async onIdle(): Promise<void> {
    await Promise.all(Object.values(this.classes).map(({ turns }) => turns.onIdle()));
  }

  /** Waits while too many other batches keep a large event in memory. */
  runLarge<T>(latencyClass: LatencyClass, work: () => Promise<T>): Promise<T> {
    return this.classes[latencyClass].large.add(work);
  }

  /** Runs the first attempts of all batches before the second ones. */
  runAttempt<T>(latencyClass: LatencyClass, index: number, work: () => Promise<T>): Promise<T> {
    const priority = -index;
    const inSharedQueue = () => this.all.add(work, { priority });
    return this.classes[latencyClass].attempts.add(inSharedQueue, { priority });
  }
}

function classQueues(concurrency: number, large: number) {
  return {
    turns: new PQueue({ concurrency }),
    attempts: new PQueue({ concurrency }),
    large: new PQueue({ concurrency: large }),
  };
}

function shareOf(concurrency: number, fraction: number): number {
  return Math.max(1, Math.floor(concurrency * fraction));
}
