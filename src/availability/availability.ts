import { foldCase } from '../core/localization/fold-case.js';

/** The statuses of a reservation (rule CALL-3). */
export const reservationStatuses = [
  'pending',
  'approved',
  'pending_cheque_collection',
  'rejected',
  'canceled',
  'expired',
] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

/** The unit statuses that follow from the unit's reservations, by the form in which filters compare them. */
const derivedStatuses: ReadonlyMap<string, string> = new Map(
  ['Sold', 'Reserved', 'Available'].map((status) => [foldCase(status), status]),
);

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
  if (typeof current === 'string' && !derivedStatuses.has(foldCase(current))) return current;
  return heldStatus(reservations) ?? 'Available';
}

/**
 * The status that a unit gets when one is sent (rule UNIT-30): where it is one that follows from
 * reservations, in any case, what those that count make of it, or its documented spelling; else as it is sent.
 */
export function statusWhenSent(sent: string, reservations: readonly string[]): string {
  const derived = derivedStatuses.get(foldCase(sent));
  return derived === undefined ? sent : (heldStatus(reservations) ?? derived);
}

function heldStatus(reservations: readonly string[]): string | undefined {
  if (reservations.includes('approved')) return 'Sold';
  return reservations.some(isOpen) ? 'Reserved' : undefined;
}

/** Whether a reservation with this status waits for approval, so that it holds its unit. */
export function isOpen(status: string | undefined): boolean {
  return status === 'pending' || status === 'pending_cheque_collection';
}
