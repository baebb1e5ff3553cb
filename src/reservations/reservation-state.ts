import { availability, type ReservationStatus } from '../availability/availability.js';
import type { ReservationDocument } from '../availability/reservation.schema.js';
import type { FieldChange } from '../tenants/change-log/field-changes.js';
import type { UnitDocument } from '../units/writing/unit-writes.service.js';
import type { ChequeWalletDocument } from './cheques/cheque-wallet.schema.js';

/** A reservation and all that decisions about it read and change; each decision makes a new one. */
export interface ReservationState {
  readonly reservation: ReservationDocument;
  readonly unit: UnitDocument | null;
  /**
   * Whether the unit is written even when its status stays: that write makes two decisions about one
   * unit conflict (rules CALL-12 and DATA-8).
   */
  readonly isUnitLocked: boolean;
  readonly otherStatusesOfUnit: readonly ReservationStatus[];
  /** The active wallet first, then the one deleted last. */
  readonly wallets: readonly ChequeWalletDocument[];
  readonly events: readonly WalletEvent[];
  readonly now: Date;
}

/** A Wallet event, with the wallet as it was right after it. */
export interface WalletEvent {
  readonly type: 'wallet.created' | 'wallet.updated' | 'wallet.deleted' | 'wallet.restored';
  readonly wallet: ChequeWalletDocument;
  readonly changes?: readonly FieldChange[];
}

export function hasChanged(before: ReservationState, after: ReservationState): boolean {
  return (
    before.reservation !== after.reservation ||
    before.unit !== after.unit ||
    before.wallets !== after.wallets
  );
}

/** Approves the reservation and sells its unit (rule CALL-9). */
export function approve(state: ReservationState): ReservationState {
  const reservation = withStatus(state.reservation, 'approved', state.now);
  return withUnitStatus({ ...state, reservation }, 'Sold');
}

/** Cancels the reservation unless it is canceled already, and recomputes its unit (rule CALL-10). */
export function cancel(state: ReservationState): ReservationState {
  const { reservation, now } = state;
  if (reservation.status === 'canceled') return recomputeUnit(state);
  return recomputeUnit({ ...state, reservation: withStatus(reservation, 'canceled', now) });
}

/** Sets the status, and the time that belongs to it in place of an earlier one (rule RES-8). */
export function withStatus(
  { approvedAt: _approvedAt, canceledAt: _canceledAt, ...fields }: ReservationDocument,
  status: ReservationStatus,
  now: Date,
): ReservationDocument {
  return {
    ...fields,
    status,
    ...(status === 'approved' ? { approvedAt: now } : {}),
    ...(status === 'canceled' ? { canceledAt: now } : {}),
    updatedAt: now,
  };
}

/** Gives the unit the status that follows from its reservations (rule CALL-11). */
export function recomputeUnit(state: ReservationState): ReservationState {
  const { unit, reservation, otherStatusesOfUnit } = state;
  const statuses = [reservation.status, ...otherStatusesOfUnit];
  return withUnitStatus(state, availability(unit?.status, statuses));
}

/** Conflicts with transactions that change the unit or another of its reservations at the same time. */
export function lockUnit(state: ReservationState): ReservationState {
  return { ...state, isUnitLocked: state.unit !== null };
}

function withUnitStatus(state: ReservationState, status: string): ReservationState {
  const { unit, now } = state;
  if (unit === null || unit.status === status) return lockUnit(state);
  return { ...lockUnit(state), unit: { ...unit, status, updatedAt: now } };
}
