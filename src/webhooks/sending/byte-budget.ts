import { mebibyte } from '../../core/values/numbers.js';
import type { Pace } from '../deliveries/delivery-outcome.js';
import type { Budget } from '../deliveries/delivery-documents.js';
import { freeBytes } from '../deliveries/delivery-queue.repository.js';

/** How many bytes of large deliveries a process holds; one endpoint may have half of its pace's. */
export const budgetBytes: Readonly<Record<Pace, number>> = {
  quick: 16 * mebibyte,
  unproven: 8 * mebibyte,
  slow: 8 * mebibyte,
};

/**
 * How many bytes of deliveries a process holds at the same time, and how many for one endpoint. A
 * delivery that is larger than a limit is paid for when nothing else is.
 */
export class ByteBudget {
  private total = 0;

  constructor(
    private readonly limit: number,
    private readonly limitPerEndpoint: number,
  ) {}

  /** The part of one endpoint. */
  forEndpoint(): Budget {
    let used = 0;
    const add = (bytes: number) => {
      used += bytes;
      this.total += bytes;
    };
    return {
      take: (bytes) => {
        if (bytes <= freeBytes) return true;
        if (used > 0 && used + bytes > this.limitPerEndpoint) return false;
        if (this.total > 0 && this.total + bytes > this.limit) return false;
        add(bytes);
        return true;
      },
      release: (bytes) => {
        if (bytes > freeBytes) add(-bytes);
      },
    };
  }
}
