/** What the callback reads: ids, statuses and amounts, which say nothing of a person. */
export const knownCallbackFields: ReadonlySet<string> = new Set([
  'reservationId',
  'installmentId',
  'chequeNumber',
  'chequeAmount',
  'chequeStatus',
  'reservationStatus',
]);
