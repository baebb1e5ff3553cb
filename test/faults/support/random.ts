import { randomInt } from 'node:crypto';

/** A seed repeats the numbers, but not the timing of processes. */
export interface RandomNumbers {
  readonly seed: number;
  /** Returns a number of at least 0 and less than 1. */
  next(): number;
  /** Returns an integer of at least 0 and less than the limit. */
  below(limit: number): number;
}

/** Returns the random numbers of a seed, which the caller reports. The default is `FAULT_SEED` or a new seed. */
export function randomNumbers(
  seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31)),
): RandomNumbers {
  // The algorithm is mulberry32.
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, next, below: (limit) => Math.floor(next() * limit) };
}

export function report(line: string): void {
  process.stdout.write(`  ${line}\n`);
}
