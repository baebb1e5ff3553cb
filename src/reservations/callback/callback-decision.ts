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

/** The outcome with the state to be stored. */
type Decided = CallbackOutcome & { readonly state: ReservationState };

/**
 * The steps of a callback in order: the reservation, then the cheque. An error ends the callback and
 * keeps what was changed before it (rule CALL-7).
 */
export function decideCallback(loaded: ReservationState, callback: CallbackDto): Decided {
  const changed = changeReservation(loaded, callback);
  const report = chequeReport(callback);
  if (changed.error !== undefined || report === undefined) return changed;
  return { ...changed, ...reportCheque(changed.state, report) };
}

function changeReservation(loaded: ReservationState, { reservationStatus }: CallbackDto): Decided {
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
): Omit<Decided, 'reservation'> & Partial<Pick<Decided, 'reservation'>> {
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
  const cheque = 'applied';
  if (decision.kind === 'reject') {
    return { state: keepUnit(reported), cheque, error: decision.error };
  }
  if (decision.kind !== 'apply') return { state: reported, cheque };
  const applied = applyEffects(reported, decision.effects, found.wallet._id);
  return {
    state: applied,
    cheque,
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
