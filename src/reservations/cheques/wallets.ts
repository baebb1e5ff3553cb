import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import { type FieldChange, fieldChanges } from '../../tenants/change-log/field-changes.js';
import { mebibyte } from '../../core/values/numbers.js';
import { fitsEvent } from '../../events/outbox/pending-event.js';
import { presentCheque, presentReservation } from '../reading/reservation.presenter.js';
import type { ReservationState, WalletEvent } from '../reservation-state.js';
import type { ReservationDocument } from '../../availability/reservation.schema.js';
import type { ChequeRequestDto } from '../upsert/upsert-reservation.dto.js';
import type { Cheque, ChequeWalletDocument } from './cheque-wallet.schema.js';
import {
  chequesOf,
  type ChequeReport,
  type FoundCheque,
  mergedCheques,
  reportedCheque,
} from './cheques.js';

/** As stored. */
const maxWalletBytes = 4 * mebibyte;

/**
 * Adds what a partner reports about a cheque of the state (rule CALL-8).
 *
 * @returns null when the wallet would become too large
 */
export function addReport(
  state: ReservationState,
  { wallet, cheque }: FoundCheque,
  report: ChequeReport,
): ReservationState | null {
  const reported = reportedCheque(cheque, report, state.now);
  // Stryker disable next-line ArrayDeclaration: a wallet in which a cheque was found has cheques.
  const cheques = (wallet.cheques ?? []).map((one) => (one === cheque ? reported : one));
  const changed = { ...wallet, cheques, updatedAt: state.now };
  const changes = chequeChanges([cheque], [reported]);
  return withLargerWallet(state, { type: 'wallet.updated', wallet: changed, changes });
}

/**
 * Creates the wallet, or extends the active one, else the one deleted last, so that a bounced cheque
 * stays where its recovery is looked for (rule RES-5).
 *
 * @returns the same state when nothing changes, null when the wallet would become too large
 */
export function addCheques(
  state: ReservationState,
  requests: readonly ChequeRequestDto[],
): ReservationState | null {
  const [wallet] = state.wallets;
  const existing = wallet === undefined ? [] : chequesOf(wallet);
  const cheques = mergedCheques(wallet?.cheques, requests);
  const changes = chequeChanges(existing, chequesOf({ cheques }));
  if (changes.length === 0) return state;
  if (wallet === undefined) {
    return withLargerWallet(state, { type: 'wallet.created', wallet: newWallet(state, cheques) });
  }
  const changed = { ...wallet, cheques, updatedAt: state.now };
  return withLargerWallet(state, { type: 'wallet.updated', wallet: changed, changes });
}

/** Soft-deletes the active wallet of a reservation that is in the partner collection flow. */
export function deleteWallet(state: ReservationState): ReservationState {
  const { reservation, now } = state;
  const active = state.wallets.find(({ isDeleted }) => !isDeleted);
  if (reservation.partnerCollection?.isActive !== true || active === undefined) return state;
  const wallet = { ...active, isDeleted: true, deletedAt: now, updatedAt: now };
  return withWallet(state, { type: 'wallet.deleted', wallet });
}

/**
 * Makes a soft-deleted wallet active again, unless another one is active.
 *
 * @param id of the wallet; without it the one deleted last
 */
export function restoreWallet(state: ReservationState, id?: Types.ObjectId): ReservationState {
  const { wallets, now } = state;
  const stored = id === undefined ? wallets[0] : wallets.find(({ _id }) => _id.equals(id));
  if (stored === undefined || wallets.some(({ isDeleted }) => !isDeleted)) return state;
  const { deletedAt: _deletedAt, ...fields } = stored;
  const wallet = { ...fields, isDeleted: false, updatedAt: now };
  return withWallet(state, { type: 'wallet.restored', wallet });
}

/**
 * Writes the wallet although its content stays. A report that goes by the status of before, and is stored in the
 * same moment by another instance, would else be taken for one that came before the change of the status
 * and be missing from its response (rule CALL-12).
 */
export function touchWallet(state: ReservationState): ReservationState {
  const [first, ...others] = state.wallets;
  if (first === undefined) return state;
  // A time could be the stored one, which would be no write and so no conflict.
  return { ...state, wallets: [{ ...first, statusLock: new Types.ObjectId() }, ...others] };
}

function newWallet(
  { reservation: { organizationId, _id: reservationId, unitId }, now }: ReservationState,
  cheques: readonly Cheque[],
): ChequeWalletDocument {
  return {
    _id: new Types.ObjectId(),
    organizationId,
    reservationId,
    unitId: unitId ?? null,
    cheques,
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
  };
}

function withWallet(state: ReservationState, event: WalletEvent): ReservationState {
  const { wallet } = event;
  const wallets =
    event.type === 'wallet.created'
      ? [wallet, ...state.wallets]
      : state.wallets.map((one) => (one._id.equals(wallet._id) ? wallet : one));
  return { ...state, wallets, events: [...state.events, event] };
}

/** @returns null when the wallet would be too large, as it is stored or in an event about it (rule CALL-8) */
function withLargerWallet(state: ReservationState, event: WalletEvent): ReservationState | null {
  const { wallet, changes = [] } = event;
  const isTooLarge = BSON.calculateObjectSize(wallet) > maxWalletBytes;
  if (isTooLarge || !fitsEvents(state.reservation, wallet, changes)) return null;
  return withWallet(state, event);
}

/** Whether all events about a reservation with a wallet can be sent, the later ones too. */
export function fitsEvents(
  reservation: ReservationDocument,
  wallet: ChequeWalletDocument,
  changes: readonly FieldChange[] = [],
): boolean {
  return fitsEvent(
    { reservation, wallet, changes },
    // The largest of them show the wallet as a part of its reservation.
    () => ({ data: presentReservation(reservation, wallet), changes }),
  );
}

/** The differences between cheques by installment, without their histories. */
function chequeChanges(before: readonly Cheque[], after: readonly Cheque[]): FieldChange[] {
  const existing = new Map(before.map((cheque) => [cheque.installmentId, cheque]));
  return after.flatMap((cheque) => {
    const { installmentId } = cheque;
    const old = existing.get(installmentId);
    // Stryker disable next-line ConditionalExpression: comparing finds the same, and takes its time.
    if (old === cheque) return [];
    const changes = fieldChanges(
      old === undefined ? {} : comparedFields(old),
      comparedFields(cheque),
    );
    return changes.map((change) => ({
      ...change,
      field: `cheques.${installmentId}.${change.field}`,
    }));
  });
}

function comparedFields(cheque: Cheque) {
  const { installmentId: _id, statusHistory: _history, ...fields } = presentCheque(cheque);
  return fields;
}
