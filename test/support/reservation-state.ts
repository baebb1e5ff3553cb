import { ObjectId } from 'mongodb';
import type {
  Cheque,
  ChequeWalletDocument,
} from '../../src/reservations/cheques/cheque-wallet.schema.js';
import type { ReservationState } from '../../src/reservations/reservation-state.js';
import type { ReservationDocument } from '../../src/reservations/reservation.schema.js';
import type { UnitDocument } from '../../src/units/writing/unit-writes.service.js';

/** All records of the state were stored at this time. */
export const before = new Date('2026-01-05T08:00:00Z');
/** Decisions about the state are made at this time. */
export const now = new Date('2026-02-01T12:00:00Z');

const organizationId = new ObjectId();
const stored = { organizationId, isDeleted: false, createdAt: before, updatedAt: before };

export function reservationWith(fields: Partial<ReservationDocument> = {}): ReservationDocument {
  return { ...stored, _id: new ObjectId(), unitId: new ObjectId(), status: 'pending', ...fields };
}

export function unitWith(fields: Partial<UnitDocument> = {}): UnitDocument {
  return { ...stored, _id: new ObjectId(), status: 'Reserved', ...fields };
}

/** Returns a stored cheque without any reported change. */
export function chequeWith(fields: Partial<Cheque> = {}): Cheque {
  return { installmentId: '1', status: 'pending', statusHistory: [], ...fields };
}

export function walletWith(fields: Partial<ChequeWalletDocument> = {}): ChequeWalletDocument {
  const reservationId = new ObjectId();
  return { ...stored, _id: new ObjectId(), reservationId, cheques: [chequeWith()], ...fields };
}

export const deleted = { isDeleted: true, deletedAt: before };

/** Returns the state of a reservation that has no wallet and is the only one of its unit. */
export function stateWith(fields: Partial<ReservationState> = {}): ReservationState {
  return {
    reservation: reservationWith(),
    unit: unitWith(),
    isUnitLocked: false,
    otherStatusesOfUnit: [],
    wallets: [],
    events: [],
    now,
    ...fields,
  };
}
