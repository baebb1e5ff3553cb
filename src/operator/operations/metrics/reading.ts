/** A value, and what it is the value of. */
export interface Sample {
  /** The same names in every sample of a reading; few values, none of them personal or secret. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** How many observed values were not above each bound, and their sum. */
export interface SampledDistribution {
  readonly labels?: Readonly<Record<string, string>>;
  readonly distribution: Distribution;
}

interface Described {
  /** Without the prefix that all names have. */
  readonly name: string;
  readonly help: string;
}

/** A figure of some part of the service, read only when the metrics are asked for. */
export type Reading = Described &
  (
    | {
        readonly type: 'counter' | 'gauge';
        /** Samples that need the database come as a promise, and are left out while it is late. */
        read(): readonly Sample[] | Promise<readonly Sample[]>;
      }
    | { readonly type: 'histogram'; read(): readonly SampledDistribution[] }
  );

/** Counts observed values by ranges; cheap enough for every request. */
export class Distribution {
  /** One more than there are bounds: the last one is for everything above. */
  private readonly counts: number[];
  private total = 0;

  /** @param bounds upper bounds in ascending order */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = bounds.map(() => 0).concat(0);
  }

  observe(value: number, times = 1): void {
    let index = 0;
    while (index < this.bounds.length && value > (this.bounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + times;
    this.total += value * times;
  }

  /** Sum of all values. */
  get sum(): number {
    return this.total;
  }

  /** How many values were not above each bound; the last bound is infinite. */
  cumulated(): readonly (readonly [bound: number, count: number])[] {
    let sum = 0;
    return this.counts.map((count, index) => [
      this.bounds[index] ?? Number.POSITIVE_INFINITY,
      (sum += count),
    ]);
  }
}
