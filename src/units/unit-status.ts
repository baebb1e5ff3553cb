import { foldCase } from '../core/localization/fold-case.js';
import { isOpenReservation } from '../reservations/reservation-status.js';

const derivedStatuses: ReadonlyMap<string, string> = new Map(
  ['Sold', 'Reserved', 'Available'].map((status) => [foldCase(status), status]),
);

/** Spreadsheets and other programs leave blanks, line breaks and invisible marks around a status. */
const surroundedWord = /^[\s\u{85}\p{Cf}]*(\p{L}+)[\s\u{85}\p{Cf}]*$/u;

/** Returns the documented spelling of Sold, Reserved and Available; undefined for other statuses (rule UNIT-30). */
function documentedSpelling(status: string): string | undefined {
  const [, word = ''] = surroundedWord.exec(status) ?? [];
  return derivedStatuses.get(foldCase(word));
}

/** Returns equal keys for statuses that a filter must not distinguish. */
export function statusKey(status: string): string {
  return foldCase(documentedSpelling(status) ?? status);
}

/** Recognizes a derived status that another program stored in another spelling, which the next update replaces. */
export function isMisspelledStatus(status: string | null | undefined): status is string {
  if (typeof status !== 'string') return false;
  return (documentedSpelling(status) ?? status) !== status;
}

/** Derives a unit's status from its reservations (rule CALL-11); other statuses of the operator stay. */
export function derivedStatus(
  current: string | null | undefined,
  reservations: readonly string[],
): string {
  const isDerived = typeof current !== 'string' || documentedSpelling(current) !== undefined;
  return isDerived ? (statusByReservations(reservations) ?? 'Available') : current;
}

/**
 * Returns the status to store when one is sent (rule UNIT-30). Reservations override Sold, Reserved and Available,
 * which are stored in their documented spelling.
 */
export function statusToStore(sent: string, reservations: readonly string[]): string {
  const documented = documentedSpelling(sent);
  return documented === undefined ? sent : (statusByReservations(reservations) ?? documented);
}

function statusByReservations(reservations: readonly string[]): string | undefined {
  if (reservations.includes('approved')) return 'Sold';
  return reservations.some(isOpenReservation) ? 'Reserved' : undefined;
}
