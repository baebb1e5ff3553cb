import type { FieldChange } from '../tenants/change-log/field-changes.js';
import { availability } from '../availability/availability.js';
import type { UnitDocument } from '../units/writing/unit-writes.service.js';
import type { ChequeWalletDocument } from './cheques/cheque-wallet.schema.js';
import type { ReservationDocument } from '../availability/reservation.schema.js';
import type { ReservationStatus } from '../availability/availability.js';

/** A reservation and all that decisions about it read and change; each decision makes a new one. */
export interface ReservationState {
  readonly reservation: ReservationDocument;
  /** Null when it is missing or deleted. */
  readonly unit: UnitDocument | null;
  /**
   * Whether the unit's status was decided. Its document is then written even when it had the status
   * already: that write keeps two decisions about one unit apart (rules CALL-12 and DATA-8).
   */
  readonly isUnitDecided: boolean;
  /** Statuses of the unit's other reservations. */
  readonly otherStatuses: readonly ReservationStatus[];
  /** The active wallet first, then the one deleted last. */
  readonly wallets: readonly ChequeWalletDocument[];
  /** What happened to the wallets, in order. */
  readonly events: readonly WalletEvent[];
  /** When the decision is made. */
  readonly now: Date;
}

/** A Wallet event, with the wallet as it was right after it. */
export interface WalletEvent {
  readonly type: 'wallet.created' | 'wallet.updated' | 'wallet.deleted' | 'wallet.restored';
  readonly wallet: ChequeWalletDocument;
  readonly changes?: readonly FieldChange[];
}

/** Whether a decision changed the reservation, its unit or its wallets. */
export function hasChanged(before: ReservationState, after: ReservationState): boolean {
  return (
    before.reservation !== after.reservation ||
    before.unit !== after.unit ||
    before.wallets !== after.wallets
  );
}

/** Approves the reservation and sells its unit (rule CALL-9). */
export function approve(state: ReservationState): ReservationState {
  const { now } = state;
  const reservation = withStatus(state.reservation, 'approved', now);
  return withUnitStatus({ ...state, reservation }, 'Sold');
}

/** Cancels the reservation unless it is canceled already, and recomputes its unit (rule CALL-10). */
export function cancel(state: ReservationState): ReservationState {
  const { reservation, now } = state;
  if (reservation.status === 'canceled') return recomputeUnit(state);
  return recomputeUnit({ ...state, reservation: withStatus(reservation, 'canceled', now) });
}

/** The reservation with a status from now on; a time is there only while its status is (rule RES-8). */
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
  const { unit, reservation, otherStatuses } = state;
  return withUnitStatus(state, availability(unit?.status, [reservation.status, ...otherStatuses]));
}

/**
 * Leaves the unit as it is, because of the status that another reservation has. Like any decision about
 * the unit it conflicts with one that changes that reservation meanwhile.
 */
export function keepUnit(state: ReservationState): ReservationState {
  return { ...state, isUnitDecided: state.unit !== null };
}

/** A deleted unit stays as it is. */
function withUnitStatus(state: ReservationState, status: string): ReservationState {
  const { unit, now } = state;
  if (unit === null || unit.status === status) return keepUnit(state);
  return { ...keepUnit(state), unit: { ...unit, status, updatedAt: now } };
}
