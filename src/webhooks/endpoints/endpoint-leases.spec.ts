import { expect, it } from '@jest/globals';
import { EndpointLease } from './endpoint-leases.repository.js';

/** Whether a lease covers an attempt so long after it was taken, and after a renewal then. */
async function coverage(ageMs: number, renew: () => Promise<boolean>) {
  const takenAt = performance.now() - ageMs;
  const lease = new EndpointLease(
    {} as never,
    {} as never,
    'owner',
    { takenAt, freshMs: 4_000 },
    renew,
  );
  const before = lease.coversAttempt;
  await lease.renew();
  lease.abandon();
  return [before, lease.coversAttempt];
}

it.each<[string, number, () => Promise<boolean>, boolean, boolean]>([
  ['that is renewed', 3_000, async () => true, true, true],
  ['that is renewed late', 4_000, async () => true, false, true],
  ['that another worker has', 3_000, async () => false, true, false],
  ['that could not be renewed', 3_000, () => Promise.reject(new Error('down')), true, true],
  [
    'that could not be renewed in time',
    4_000,
    () => Promise.reject(new Error('down')),
    false,
    false,
  ],
])('a lease %s after %i ms covers an attempt when it ends in time', async (...parameters) => {
  const [, ageMs, renew, before, after] = parameters;
  expect(await coverage(ageMs, renew)).toEqual([before, after]);
});
