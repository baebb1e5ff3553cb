import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import { type FieldChange, fieldChanges } from '../../tenants/change-log/field-changes.js';
import { mebibyte } from '../../core/values/numbers.js';
import { fitsInEvent } from '../../events/outbox/outbox.js';
import { present } from '../../core/fields/declared-fields.js';
import { presentReservation } from '../reading/reservation.dto.js';
import type { ReservationState, WalletEvent } from '../reservation-state.js';
import type { ReservationDocument } from '../reservation.schema.js';
import type { ChequeRequestDto } from '../upsert/upsert-reservation.dto.js';
import { Cheque, type ChequeWalletDocument } from './cheque-wallet.schema.js';
import {
  chequesOf,
  type ChequeReport,
  type FoundCheque,
  mergeCheques,
  applyReport,
} from './cheques.js';

const maxWalletBytes = 4 * mebibyte;

/** Returns null if the wallet would become too large (rule CALL-8). */
export function addReport(
  state: ReservationState,
  { wallet, cheque }: FoundCheque,
  report: ChequeReport,
): ReservationState | null {
  const reported = applyReport(cheque, report, state.now);
  // Stryker disable next-line ArrayDeclaration: a wallet in which a cheque was found has cheques.
  const cheques = (wallet.cheques ?? []).map((stored) => (stored === cheque ? reported : stored));
  const changed = { ...wallet, cheques, updatedAt: state.now };
  const changes = chequeChanges([cheque], [reported]);
  return withLargerWallet(state, { type: 'wallet.updated', wallet: changed, changes });
}

/**
 * Creates a wallet only if there is none, so that the recovery of a bounced cheque finds it (rule RES-5).
 *
 * @returns the same state if nothing changes; null if the wallet would become too large
 */
export function addCheques(
  state: ReservationState,
  requests: readonly ChequeRequestDto[],
): ReservationState | null {
  const [wallet] = state.wallets;
  const existing = wallet === undefined ? [] : chequesOf(wallet);
  const cheques = mergeCheques(wallet?.cheques, requests);
  const changes = chequeChanges(existing, chequesOf({ cheques }));
  if (changes.length === 0) return state;
  if (wallet === undefined) {
    return withLargerWallet(state, { type: 'wallet.created', wallet: newWallet(state, cheques) });
  }
  const changed = { ...wallet, cheques, updatedAt: state.now };
  return withLargerWallet(state, { type: 'wallet.updated', wallet: changed, changes });
}

/** Does nothing outside the partner collection flow. */
export function deleteWallet(state: ReservationState): ReservationState {
  const { reservation, now } = state;
  const active = state.wallets.find(({ isDeleted }) => !isDeleted);
  if (reservation.partnerCollection?.isActive !== true || active === undefined) return state;
  const wallet = { ...active, isDeleted: true, deletedAt: now, updatedAt: now };
  return withWallet(state, { type: 'wallet.deleted', wallet });
}

/** Restores this wallet or the last deleted one, unless a wallet is active. */
export function restoreWallet(state: ReservationState, id?: Types.ObjectId): ReservationState {
  const { wallets, now } = state;
  const stored = id === undefined ? wallets[0] : wallets.find(({ _id }) => _id.equals(id));
  if (stored === undefined || wallets.some(({ isDeleted }) => !isDeleted)) return state;
  const { deletedAt: _deletedAt, ...fields } = stored;
  const wallet = { ...fields, isDeleted: false, updatedAt: now };
  return withWallet(state, { type: 'wallet.restored', wallet });
}

/**
 * Writes an unchanged wallet, so that a parallel report conflicts: that report would decide by the old status, and
 * this request's response would not show it (rule CALL-12).
 */
export function touchWallet(state: ReservationState): ReservationState {
  const [first, ...others] = state.wallets;
  if (first === undefined) return state;
  // Writing an equal value, such as a time in the same millisecond, would be a no-op and cause no conflict.
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
      : state.wallets.map((stored) => (stored._id.equals(wallet._id) ? wallet : stored));
  return { ...state, wallets, events: [...state.events, event] };
}

/** Returns null if the wallet or an event about it would be too large (rule CALL-8). */
function withLargerWallet(state: ReservationState, event: WalletEvent): ReservationState | null {
  const { wallet, changes = [] } = event;
  const isTooLarge = BSON.calculateObjectSize(wallet) > maxWalletBytes;
  if (isTooLarge || !canPublishWallet(state.reservation, wallet, changes)) return null;
  return withWallet(state, event);
}

export function canPublishWallet(
  reservation: ReservationDocument,
  wallet: ChequeWalletDocument,
  changes: readonly FieldChange[] = [],
): boolean {
  return fitsInEvent(
    { reservation, wallet, changes },
    // The largest events contain the wallet inside its reservation.
    () => ({ data: presentReservation(reservation, wallet), changes }),
  );
}

function chequeChanges(before: readonly Cheque[], after: readonly Cheque[]): FieldChange[] {
  const existing = new Map(before.map((cheque) => [cheque.installmentId, cheque]));
  return after.flatMap((cheque) => {
    const { installmentId } = cheque;
    const old = existing.get(installmentId);
    // Stryker disable next-line ConditionalExpression: comparing gives the same result, only slower.
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
  const { installmentId: _id, statusHistory: _history, ...fields } = present(Cheque, cheque);
  return fields;
}
