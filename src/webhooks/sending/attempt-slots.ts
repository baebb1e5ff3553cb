import { Inject, Injectable } from '@nestjs/common';
import PQueue from 'p-queue';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { mebibyte } from '../../core/values/numbers.js';
import type { LatencyClass } from '../deliveries/delivery-outcome.js';

/** Events up to this size do not count against a budget. */
export const freeBytes = 262_144;

/**
 * Bounds the attempts of a process: all of them together, half of that for new endpoints and a quarter for slow
 * ones, so that neither can take the slots of fast ones (rule HOOK-8).
 */
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

  /** How many attempts to one endpoint may run at the same time. */
  perEndpoint(latencyClass: LatencyClass): number {
    return part(this.concurrency, latencyClass === 'fast' ? 1 / 4 : 1 / 16);
  }

  /** How many deliveries of an endpoint may form a batch. */
  largestBatch(latencyClass: LatencyClass): number {
    return this.perEndpoint(latencyClass) * (latencyClass === 'fast' ? 4 : 1);
  }

  /** Runs the batch of an endpoint when it is its turn. */
  async turn<T>(latencyClass: LatencyClass, work: () => Promise<T>): Promise<T> {
    return this.classes[latencyClass].turns.add(work);
  }

  /** Runs an attempt when a slot is free; the first attempts of all batches go before the second ones. */
  async attempt<T>(latencyClass: LatencyClass, index: number, work: () => Promise<T>): Promise<T> {
    const priority = -index;
    const ofAll = () => this.all.add(work, { priority });
    return this.classes[latencyClass].attempts.add(ofAll, { priority });
  }

  /** Runs work that holds a large event, when there is memory for it. */
  async holding<T>(latencyClass: LatencyClass, bytes: number, work: () => Promise<T>): Promise<T> {
    return bytes <= freeBytes ? work() : this.classes[latencyClass].budget.holding(bytes, work);
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

  async holding<T>(bytes: number, work: () => Promise<T>): Promise<T> {
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
