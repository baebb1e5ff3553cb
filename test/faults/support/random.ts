import { randomInt } from 'node:crypto';

/** A seed repeats them, but not the timing between processes. */
export interface RandomNumbers {
  readonly seed: number;
  /** At least 0, below 1. */
  next(): number;
  /** An integer of at least 0 and below the limit. */
  below(limit: number): number;
}

/** Random numbers of a seed, which the caller reports: `FAULT_SEED` or a new one by default. */
export function randomNumbers(
  seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31)),
): RandomNumbers {
  // mulberry32
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, next, below: (limit) => Math.floor(next() * limit) };
}

/** Prints a measurement of a test. */
export function report(line: string): void {
  process.stdout.write(`  ${line}\n`);
}
