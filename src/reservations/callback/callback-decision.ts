import { type ChequeReport, chequeReport, findCheque } from '../cheques/cheques.js';
import { addReport, deleteWallet, restoreWallet } from '../cheques/wallets.js';
import {
  approve,
  cancel,
  hasChanged,
  keepUnit,
  type ReservationState,
} from '../reservation-state.js';
import {
  decideCheque,
  decideReservation,
  type Effect,
  type TransitionError,
} from '../transitions.js';
import type { ReservationStatus } from '../../availability/availability.js';
import type { ChequeStatus } from '../transitions.js';
import type { CallbackDto } from './callback.dto.js';

/** Why a callback ends with an error; what its earlier steps changed is stored all the same. */
export type CallbackError =
  TransitionError | 'reservationNotFound' | 'chequeNotFound' | 'walletFull';

/** What the steps of a callback did (rule CALL-14). */
export interface CallbackOutcome {
  readonly reservation: 'applied' | 'unchanged' | 'ignored';
  readonly cheque: 'applied' | 'skipped' | 'none';
  readonly error?: CallbackError;
}

/** A status before and after; null before where there was none. */
export interface StatusChange<Status extends string = string> {
  readonly from: Status | null;
  readonly to: Status;
}

/** The changes of a callback, for the operator (rule CALL-15). */
export interface CallbackEffects {
  readonly reservation?: StatusChange<ReservationStatus>;
  /** A report is stored also when it repeats the status. */
  readonly cheque?: StatusChange<ChequeStatus>;
  readonly unit?: StatusChange;
  readonly wallet?: 'deleted' | 'restored';
}

/** The outcome of steps with the state to be stored, and the report that was added. */
type Steps = CallbackOutcome & {
  readonly state: ReservationState;
  readonly report?: StatusChange<ChequeStatus>;
};

/** The decision about a callback. */
export interface DecidedCallback extends CallbackOutcome {
  readonly state: ReservationState;
  readonly effects: CallbackEffects;
}

/**
 * The steps of a callback in order: the reservation, then the cheque. An error ends the callback and
 * keeps what was changed before it (rule CALL-7).
 */
export function decideCallback(loaded: ReservationState, callback: CallbackDto): DecidedCallback {
  const changed = changeReservation(loaded, callback);
  const report = chequeReport(callback);
  const isOver = changed.error !== undefined || report === undefined;
  const steps: Steps = isOver ? changed : { ...changed, ...reportCheque(changed.state, report) };
  const { report: cheque, ...decided } = steps;
  const { state } = decided;
  const reservation = changeOf(loaded.reservation.status, state.reservation.status);
  const unit = changeOf(loaded.unit?.status, state.unit?.status);
  const wallet = walletEffect(state);
  const effects = {
    ...(reservation && { reservation }),
    ...(cheque && { cheque }),
    ...(unit && { unit }),
    ...(wallet && { wallet }),
  };
  return { ...decided, effects };
}

function changeOf<Status extends string>(
  from: Status | undefined,
  to: Status | undefined,
): StatusChange<Status> | undefined {
  return to === undefined || from === to ? undefined : { from: from ?? null, to };
}

function walletEffect({ events }: ReservationState): CallbackEffects['wallet'] {
  for (const { type } of events.toReversed()) {
    if (type === 'wallet.deleted') return 'deleted';
    if (type === 'wallet.restored') return 'restored';
  }
  return undefined;
}

function changeReservation(loaded: ReservationState, { reservationStatus }: CallbackDto): Steps {
  const unchanged = { state: loaded, reservation: 'unchanged', cheque: 'none' } as const;
  const { status } = loaded.reservation;
  const isUnitDeleted = loaded.unit === null;
  const decision = decideReservation({ status, isUnitDeleted }, reservationStatus);
  switch (decision.kind) {
    case 'apply': {
      const state = applyEffects(loaded, decision.effects);
      return { ...unchanged, state, ...(hasChanged(loaded, state) && { reservation: 'applied' }) };
    }
    case 'reject':
      return { ...unchanged, error: decision.error };
    case 'ignore':
      return { ...unchanged, reservation: 'ignored' };
    case 'keep':
      return unchanged;
    // Stryker disable next-line ConditionalExpression: there is no other kind, as the compiler checks.
    default:
      return decision satisfies never;
  }
}

/** Adds the report before it looks at its consequences, which keep it even when they are an error. */
function reportCheque(
  state: ReservationState,
  report: ChequeReport,
): Omit<Steps, 'reservation'> & Partial<Pick<Steps, 'reservation'>> {
  const found = findCheque(state.wallets, report.installmentId);
  if (found === 'skip') return { state, cheque: 'skipped' };
  if (found === 'missing') return { state, cheque: 'none', error: 'chequeNotFound' };
  const reported = addReport(state, found, report);
  if (reported === null) return { state, cheque: 'none', error: 'walletFull' };
  const decision = decideCheque(
    {
      status: state.reservation.status,
      isUnitDeleted: state.unit === null,
      previousStatus: found.cheque.status,
      isUnitReservedByAnother: state.otherStatuses.includes('approved'),
    },
    report.chequeStatus,
  );
  const stored = {
    cheque: 'applied',
    report: { from: found.cheque.status, to: report.chequeStatus },
  } as const;
  if (decision.kind === 'reject') {
    return { ...stored, state: keepUnit(reported), error: decision.error };
  }
  if (decision.kind !== 'apply') return { ...stored, state: reported };
  const applied = applyEffects(reported, decision.effects, found.wallet._id);
  return {
    ...stored,
    state: applied,
    ...(hasChanged(reported, applied) && { reservation: 'applied' }),
  };
}

/** @param walletId of the wallet that a restoration is about */
function applyEffects(
  state: ReservationState,
  effects: readonly Effect[],
  walletId?: ReservationState['wallets'][number]['_id'],
): ReservationState {
  const apply: Readonly<Record<Effect, (changed: ReservationState) => ReservationState>> = {
    approve,
    cancel,
    deleteWallet,
    restoreWallet: (changed) => restoreWallet(changed, walletId),
  };
  return effects.reduce((changed, effect) => apply[effect](changed), state);
}
