import { reservationErrors } from '../reservation-errors.js';

/** The headers that say what the callback's empty body cannot (rule CALL-14). */
export const callbackResponseHeaders = {
  'x-callback-reservation': {
    description:
      'applied: the request changed the reservation, its unit or its wallet, by the status or by ' +
      'the consequence of the cheque; unchanged: it did not; ' +
      'ignored: the status is valid but changes nothing, and neither did the cheque.',
    schema: { type: 'string' as const, enum: ['applied', 'unchanged', 'ignored'] },
  },
  'x-callback-cheque': {
    description:
      'applied: the report was stored; skipped: the reservation has no matching wallet; ' +
      'none: no cheque was sent, or none was reached.',
    schema: { type: 'string' as const, enum: ['applied', 'skipped', 'none'] },
  },
};

/** The errors that end a callback, with these headers. */
export const callbackErrors = [
  reservationErrors.reservationNotFound,
  reservationErrors.unitNotFound,
  reservationErrors.chequeNotFound,
  reservationErrors.notPendingChequeCollection,
  reservationErrors.unitAlreadyReserved,
  reservationErrors.walletFull,
].map((error) => ({ ...error, documentedHeaders: callbackResponseHeaders }));
