import { randomInt } from 'node:crypto';

/** Numbers that look random and are the same again with the same seed. */
export interface RandomNumbers {
  readonly seed: number;
  /** At least 0, below 1. */
  next(): number;
  /** An integer of at least 0 and below the limit. */
  below(limit: number): number;
}

/**
 * Random numbers of a seed, which the caller has to name in what it prints; `FAULT_SEED` or a new one
 * by default.
 *
 * Timing between processes still differs from run to run.
 */
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

/** Prints what a test has measured, one line. */
export function report(line: string): void {
  process.stdout.write(`  ${line}\n`);
}
