import { chequesOf } from '../cheques/cheques.js';
import type { ReservationState } from '../reservation-state.js';
import type { ChequeStatus, ReservationStatus } from '../statuses.js';

/** A status before and after; null before where there was none. */
export interface StatusChange<Status extends string = string> {
  readonly from: Status | null;
  readonly to: Status;
}

/** What a callback changed; what is left out stayed as it was. */
export interface CallbackEffects {
  readonly reservation?: StatusChange<ReservationStatus>;
  /** A report is stored also when it repeats the status. */
  readonly cheque?: StatusChange<ChequeStatus>;
  readonly unit?: StatusChange;
  readonly wallet?: 'deleted' | 'restored';
}

/**
 * What a callback made of a state, for the operator (rule CALL-15).
 *
 * @param installmentId of the cheque that it reported; undefined when no report was stored
 */
export function callbackEffects(
  before: ReservationState,
  after: ReservationState,
  installmentId: string | undefined,
): CallbackEffects {
  const reservation = changeOf(before.reservation.status, after.reservation.status);
  const unit = changeOf(before.unit?.status, after.unit?.status);
  const cheque =
    installmentId === undefined ? undefined : chequeChange(before, after, installmentId);
  const wallet = walletChange(after);
  return {
    ...(reservation === undefined ? {} : { reservation }),
    ...(cheque === undefined ? {} : { cheque }),
    ...(unit === undefined ? {} : { unit }),
    ...(wallet === undefined ? {} : { wallet }),
  };
}

function changeOf<Status extends string>(
  from: Status | undefined,
  to: Status | undefined,
): StatusChange<Status> | undefined {
  return to === undefined || from === to ? undefined : { from: from ?? null, to };
}

function chequeChange(
  before: ReservationState,
  after: ReservationState,
  installmentId: string,
): StatusChange<ChequeStatus> | undefined {
  const to = chequeStatus(after, installmentId);
  return to === undefined ? undefined : { from: chequeStatus(before, installmentId) ?? null, to };
}

/** Of the wallet that a report goes to: the active one first. */
function chequeStatus(
  { wallets }: ReservationState,
  installmentId: string,
): ChequeStatus | undefined {
  const cheques = wallets.flatMap(chequesOf);
  return cheques.find((cheque) => cheque.installmentId === installmentId)?.status;
}

function walletChange({ events }: ReservationState): CallbackEffects['wallet'] {
  const types = events.map(({ type }) => type);
  const last = types.findLast((type) => type === 'wallet.deleted' || type === 'wallet.restored');
  if (last === undefined) return undefined;
  return last === 'wallet.deleted' ? 'deleted' : 'restored';
}
