import { Inject, Injectable } from '@nestjs/common';
import PQueue from 'p-queue';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { mebibyte } from '../../core/values/numbers.js';
import type { LatencyClass } from '../deliveries/delivery-outcome.js';

/** Events up to this size do not count against a budget. */
export const unbudgetedBytes = 262_144;

/** Bounds the attempts of a process so that new and slow endpoints leave slots to fast ones (rule HOOK-8). */
@Injectable()
export class AttemptSlots {
  private readonly concurrency: number;
  private readonly all: PQueue;
  private readonly classes: Readonly<Record<LatencyClass, ReturnType<typeof classSlots>>>;

  constructor(@Inject(ENVIRONMENT) { WEBHOOKS_CONCURRENCY: concurrency }: Environment) {
    this.concurrency = concurrency;
    this.all = new PQueue({ concurrency });
    this.classes = {
      fast: classSlots(concurrency, 16 * mebibyte),
      new: classSlots(part(concurrency, 1 / 2), 8 * mebibyte),
      slow: classSlots(part(concurrency, 1 / 4), 8 * mebibyte),
    };
  }

  perEndpoint(latencyClass: LatencyClass): number {
    return part(this.concurrency, latencyClass === 'fast' ? 1 / 4 : 1 / 16);
  }

  maxBatchSize(latencyClass: LatencyClass): number {
    return this.perEndpoint(latencyClass) * (latencyClass === 'fast' ? 4 : 1);
  }

  async turn<T>(latencyClass: LatencyClass, work: () => Promise<T>): Promise<T> {
    return this.classes[latencyClass].turns.add(work);
  }

  /** Waits until no batch runs or waits for its turn. */
  async onIdle(): Promise<void> {
    await Promise.all(Object.values(this.classes).map(({ turns }) => turns.onIdle()));
  }

  /** Runs an attempt when a slot is free; the first attempts of all batches go before the second ones. */
  async attempt<T>(latencyClass: LatencyClass, index: number, work: () => Promise<T>): Promise<T> {
    const priority = -index;
    const ofAll = () => this.all.add(work, { priority });
    return this.classes[latencyClass].attempts.add(ofAll, { priority });
  }

  async reserveBytes<T>(
    latencyClass: LatencyClass,
    bytes: number,
    work: () => Promise<T>,
  ): Promise<T> {
    return bytes <= unbudgetedBytes
      ? work()
      : this.classes[latencyClass].budget.reserve(bytes, work);
  }
}

function classSlots(concurrency: number, budgetBytes: number) {
  return {
    turns: new PQueue({ concurrency }),
    attempts: new PQueue({ concurrency }),
    budget: new ByteBudget(budgetBytes),
  };
}

function part(concurrency: number, fraction: number): number {
  return Math.max(1, Math.floor(concurrency * fraction));
}

/** Bytes that may be held at the same time; more than the limit may be held alone. */
class ByteBudget {
  private held = 0;
  private readonly admissions = new PQueue({ concurrency: 1 });
  private released: () => void = () => {};

  constructor(private readonly limit: number) {}

  async reserve<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await this.admissions.add(async () => {
      while (this.held > 0 && this.held + bytes > this.limit) {
        await new Promise<void>((resolve) => (this.released = resolve));
      }
      this.held += bytes;
    });
    try {
      return await work();
    } finally {
      this.held -= bytes;
      this.released();
    }
  }
}
