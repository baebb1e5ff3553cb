/**
 * Whether tests run in full: every combination of a table, every round of a race, many random
 * sequences (`TEST_ROUNDS=full`, as `npm run test:nightly` does). Without it they are short: each
 * behavior once or a few times.
 */
export const isFull = process.env['TEST_ROUNDS'] === 'full';

/** How often something is repeated: in the short form and in full. */
export function rounds(short: number, full: number): number {
  return isFull ? full : short;
}
