import { addCounts, type CallCounts, noCalls } from './call-counts.js';
import type { Totals } from './call-figures.repository.js';

/** Minutes of all processes together. */
export class MinuteSums {
  private readonly sums = new Map<
    number,
    { readonly total: CallCounts; readonly deliveries: { delivered: number; failed: number } }
  >();

  /** Adds what a process, or all, have counted in a minute. */
  add({ at, total, deliveries }: Totals): void {
    const sum = this.of(at.getTime());
    addCounts(sum.total, total);
    sum.deliveries.delivered += deliveries.delivered;
    sum.deliveries.failed += deliveries.failed;
  }

  /** The sum of a minute that begins at a time in milliseconds since 1970; without calls when there is none. */
  of(
    time: number,
  ): Omit<Totals, 'at'> & { readonly deliveries: { delivered: number; failed: number } } {
    const sum = this.sums.get(time) ?? {
      total: noCalls(),
      deliveries: { delivered: 0, failed: 0 },
    };
    this.sums.set(time, sum);
    return sum;
  }

  /** All that something was added to, oldest first. */
  all(): Totals[] {
    return [...this.sums]
      .toSorted(([one], [other]) => one - other)
      .map(([time, sum]) => ({ at: new Date(time), ...sum }));
  }
}
