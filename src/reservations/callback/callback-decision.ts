import type { ReservationStatus } from '../reservation-status.js';
import { withoutUndefined } from '../../core/values/json.js';
import { type ChequeReport, chequeReport, findCheque } from '../cheques/cheques.js';
import { addReport, deleteWallet, restoreWallet } from '../cheques/wallets.js';
import { approve, cancel, lockUnit, type ReservationState } from '../reservation-state.js';
import {
  type ChequeStatus,
  decideCheque,
  decideReservation,
  type Effect,
  type TransitionError,
} from '../transitions.js';
import type { CallbackDto } from './callback.dto.js';

export type CallbackError =
  TransitionError | 'reservationNotFound' | 'chequeNotFound' | 'walletFull';

/** Describes what a callback did, as its response reports it (rule CALL-14). */
export interface CallbackOutcome {
  readonly reservation: 'applied' | 'unchanged' | 'ignored';
  readonly cheque: 'applied' | 'skipped' | 'none';
  /** Stops the callback; changes of earlier steps are stored nevertheless (rule CALL-7). */
  readonly error?: CallbackError;
}

/** `from` is null if there was no status before. */
export interface StatusChange<Status extends string = string> {
  readonly from: Status | null;
  readonly to: Status;
}

export interface CallbackEffects {
  readonly reservation?: StatusChange<ReservationStatus>;
  /** Set even when the report repeats the status. */
  readonly cheque?: StatusChange<ChequeStatus>;
  readonly unit?: StatusChange;
  readonly wallet?: 'deleted' | 'restored';
}

type StepResult = CallbackOutcome & {
  readonly state: ReservationState;
  readonly report?: StatusChange<ChequeStatus>;
};

export interface CallbackDecision extends CallbackOutcome {
  readonly state: ReservationState;
  readonly effects: CallbackEffects;
}

/** Applies the reservation's status, then the cheque's (rule CALL-7). */
export function decideCallback(loaded: ReservationState, callback: CallbackDto): CallbackDecision {
  const changed = changeReservation(loaded, callback);
  const sent = chequeReport(callback);
  const isOver = changed.error !== undefined || sent === undefined;
  const { report: cheque, ...decided }: StepResult = isOver ? changed : reportCheque(changed, sent);
  const { state } = decided;
  const effects = withoutUndefined({
    reservation: changeOf(loaded.reservation.status, state.reservation.status),
    cheque,
    unit: changeOf(loaded.unit?.status, state.unit?.status),
    wallet: walletEffect(state),
  });
  return { ...decided, effects };
}

function changeOf<Status extends string>(
  from: Status | undefined,
  to: Status | undefined,
): StatusChange<Status> | undefined {
  // Stryker disable next-line ConditionalExpression: no decision removes a status.
  return to === undefined || from === to ? undefined : { from: from ?? null, to };
}

function walletEffect({ events }: ReservationState): CallbackEffects['wallet'] {
  const last = events.findLast(
    ({ type }) => type === 'wallet.deleted' || type === 'wallet.restored',
  );
  return last && (last.type === 'wallet.deleted' ? 'deleted' : 'restored');
}

function changeReservation(
  loaded: ReservationState,
  { reservationStatus }: CallbackDto,
): StepResult {
  const facts = { status: loaded.reservation.status, isUnitDeleted: loaded.unit === null };
  const { effects, error, isIgnored } = decideReservation(facts, reservationStatus);
  const state = applyEffects(loaded, effects);
  const applied = state.reservation === loaded.reservation ? 'unchanged' : 'applied';
  const reservation = isIgnored ? 'ignored' : applied;
  return { state, reservation, cheque: 'none', ...(error && { error }) };
}

/** Adds the report first, so that it stays even if its consequences fail. */
function reportCheque(steps: StepResult, report: ChequeReport): StepResult {
  const { state: loaded } = steps;
  const found = findCheque(loaded.wallets, report.installmentId);
  if (found === 'skip') return { ...steps, cheque: 'skipped' };
  if (found === 'missing') return { ...steps, error: 'chequeNotFound' };
  const reported = addReport(loaded, found, report);
  if (reported === null) return { ...steps, error: 'walletFull' };
  const previousStatus = found.cheque.status;
  const { effects, error } = decideCheque(
    {
      status: loaded.reservation.status,
      isUnitDeleted: loaded.unit === null,
      previousStatus,
      isUnitReservedByAnother: loaded.otherStatusesOfUnit.includes('approved'),
    },
    report.chequeStatus,
  );
  // A refusal depends on the unit and its other reservations, which must not change before the commit.
  const state =
    error === undefined ? applyEffects(reported, effects, found.wallet._id) : lockUnit(reported);
  return {
    state,
    reservation: state.reservation === loaded.reservation ? steps.reservation : 'applied',
    cheque: 'applied',
    report: { from: previousStatus, to: report.chequeStatus },
    ...(error && { error }),
  };
}

function applyEffects(
  loaded: ReservationState,
  effects: readonly Effect[],
  walletId?: ReservationState['wallets'][number]['_id'],
): ReservationState {
  const apply: Readonly<Record<Effect, (state: ReservationState) => ReservationState>> = {
    approve,
    cancel,
    deleteWallet,
    restoreWallet: (state) => restoreWallet(state, walletId),
  };
  return effects.reduce((state, effect) => apply[effect](state), loaded);
}
