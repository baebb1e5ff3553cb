import PQueue from 'p-queue';
import type { LatencyClass } from '../endpoints/webhook-endpoint.schema.js';

/** Bounds the attempts of a process so that new and slow endpoints leave slots to fast ones (rule HOOK-8). */
export class AttemptSlots {
  private readonly all: PQueue;
  private readonly classes: Readonly<Record<LatencyClass, ReturnType<typeof classQueues>>>;

  constructor(private readonly concurrency: number) {
    this.all = new PQueue({ concurrency });
    this.classes = {
      fast: classQueues(concurrency, 2),
      new: classQueues(part(concurrency, 1 / 2), 1),
      slow: classQueues(part(concurrency, 1 / 4), 1),
    };
  }

  perEndpoint(latencyClass: LatencyClass): number {
    return part(this.concurrency, latencyClass === 'fast' ? 1 / 4 : 1 / 16);
  }

  maxBatchSize(latencyClass: LatencyClass): number {
    return this.perEndpoint(latencyClass) * (latencyClass === 'fast' ? 4 : 1);
  }

  turn<T>(latencyClass: LatencyClass, work: () => Promise<T>): Promise<T> {
    return this.classes[latencyClass].turns.add(work);
  }

  /** Waits until no batch runs or waits for its turn. */
  async onIdle(): Promise<void> {
    await Promise.all(Object.values(this.classes).map(({ turns }) => turns.onIdle()));
  }

  /** Runs a batch with a large event when few others hold one. */
  large<T>(latencyClass: LatencyClass, work: () => Promise<T>): Promise<T> {
    return this.classes[latencyClass].large.add(work);
  }

  /** Runs an attempt when a slot is free; the first attempts of all batches go before the second ones. */
  attempt<T>(latencyClass: LatencyClass, index: number, work: () => Promise<T>): Promise<T> {
    const priority = -index;
    const ofAll = () => this.all.add(work, { priority });
    return this.classes[latencyClass].attempts.add(ofAll, { priority });
  }
}

function classQueues(concurrency: number, large: number) {
  return {
    turns: new PQueue({ concurrency }),
    attempts: new PQueue({ concurrency }),
    large: new PQueue({ concurrency: large }),
  };
}

function part(concurrency: number, fraction: number): number {
  return Math.max(1, Math.floor(concurrency * fraction));
}
