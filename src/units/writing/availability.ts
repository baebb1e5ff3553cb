/** The unit statuses that follow from the unit's reservations. */
const derivedStatuses: ReadonlySet<string> = new Set(['Sold', 'Reserved', 'Available']);

/**
 * A unit's status as its reservations make it (rule CALL-11): Sold while one is approved,
 * else Reserved while one is pending, else Available. A status of another kind, which an operator
 * set, stays.
 *
 * @param current the unit's status now
 * @param reservations statuses of the unit's reservations that are not deleted
 */
export function availability(
  current: string | null | undefined,
  reservations: readonly string[],
): string {
  if (typeof current === 'string' && !derivedStatuses.has(current)) return current;
  return heldStatus(reservations) ?? 'Available';
}

/**
 * The status that a unit gets when one is sent (rule UNIT-30): where it is one that follows from
 * reservations and there are such that count, what they make of it; else as it is sent.
 */
export function statusWhenSent(sent: string, reservations: readonly string[]): string {
  return derivedStatuses.has(sent) ? (heldStatus(reservations) ?? sent) : sent;
}

function heldStatus(reservations: readonly string[]): string | undefined {
  if (reservations.includes('approved')) return 'Sold';
  const hasOpenReservation = reservations.some(
    (status) => status === 'pending' || status === 'pending_cheque_collection',
  );
  return hasOpenReservation ? 'Reserved' : undefined;
}
