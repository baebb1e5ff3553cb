/**
 * `TEST_ROUNDS=full`, which `npm run test:nightly` sets, runs every combination of a table, every round of a race and
 * many random sequences. Otherwise each behavior is tested once or a few times.
 */
export const isFull = process.env['TEST_ROUNDS'] === 'full';

/** Returns the number of repetitions in this run, short or full. */
export function rounds(short: number, full: number): number {
  return isFull ? full : short;
}
