import { foldCase } from '../core/localization/fold-case.js';

export const reservationStatuses = [
  'pending',
  'approved',
  'pending_cheque_collection',
  'rejected',
  'canceled',
  'expired',
] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

const derivedStatuses: ReadonlyMap<string, string> = new Map(
  ['Sold', 'Reserved', 'Available'].map((status) => [foldCase(status), status]),
);

/** Derives a unit's status from its reservations (rule CALL-11); other statuses of the operator stay. */
export function derivedStatus(
  current: string | null | undefined,
  reservations: readonly string[],
): string {
  if (typeof current === 'string' && !derivedStatuses.has(foldCase(current))) return current;
  return statusByReservations(reservations) ?? 'Available';
}

/**
 * Returns the status to store when one is sent (rule UNIT-30). Reservations override Sold, Reserved and Available,
 * which are recognized in any case and stored in this spelling.
 */
export function statusToStore(sent: string, reservations: readonly string[]): string {
  const derived = derivedStatuses.get(foldCase(sent));
  return derived === undefined ? sent : (statusByReservations(reservations) ?? derived);
}

function statusByReservations(reservations: readonly string[]): string | undefined {
  if (reservations.includes('approved')) return 'Sold';
  return reservations.some(isOpenReservation) ? 'Reserved' : undefined;
}

export function isOpenReservation(status: string | undefined): boolean {
  return status === 'pending' || status === 'pending_cheque_collection';
}
