import type { ReservationStatus } from './reservation-status.js';
import { derivedStatus } from '../units/unit-status.js';
import type { ReservationDocument } from './reservation.schema.js';
import type { FieldChange } from '../tenants/change-log/field-changes.js';
import type { UnitDocument } from '../units/writing/unit-writes.service.js';
import type { ChequeWalletDocument } from './cheques/cheque-wallet.schema.js';

/** Contains everything that decisions read and change; each decision returns a new state. */
export interface ReservationState {
  readonly reservation: ReservationDocument;
  readonly unit: UnitDocument | null;
  /** True makes two decisions about a unit conflict by writing it even if its status stays (rules CALL-12, DATA-8). */
  readonly isUnitLocked: boolean;
  readonly otherStatusesOfUnit: readonly ReservationStatus[];
  /** The active wallet comes first, then the last deleted one. */
  readonly wallets: readonly ChequeWalletDocument[];
  readonly events: readonly WalletEvent[];
  readonly now: Date;
}

/** Shows the wallet as it was right after the event. */
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

/** Sells the unit whatever its status is (rule CALL-9). */
export function approve(state: ReservationState): ReservationState {
  const reservation = withStatus(state.reservation, 'approved', state.now);
  return withUnitStatus({ ...state, reservation }, 'Sold');
}

/** Leaves a canceled reservation unchanged (rule CALL-10). */
export function cancel(state: ReservationState): ReservationState {
  const { reservation, now } = state;
  if (reservation.status === 'canceled') return recomputeUnit(state);
  return recomputeUnit({ ...state, reservation: withStatus(reservation, 'canceled', now) });
}

/** Also sets the status's timestamp, replacing an earlier one (rule RES-8). */
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

/** Keeps a unit's status that is not Available, Reserved or Sold (rule CALL-11). */
export function recomputeUnit(state: ReservationState): ReservationState {
  const { unit, reservation, otherStatusesOfUnit } = state;
  const statuses = [reservation.status, ...otherStatusesOfUnit];
  return withUnitStatus(state, derivedStatus(unit?.status, statuses));
}

/** Causes a conflict with transactions that change the unit or another of its reservations. */
export function lockUnit(state: ReservationState): ReservationState {
  return { ...state, isUnitLocked: state.unit !== null };
}

function withUnitStatus(state: ReservationState, status: string): ReservationState {
  const { unit, now } = state;
  if (unit === null || unit.status === status) return lockUnit(state);
  return { ...lockUnit(state), unit: { ...unit, status, updatedAt: now } };
}
