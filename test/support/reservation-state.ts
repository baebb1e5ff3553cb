import { ObjectId } from 'mongodb';
import type {
  Cheque,
  ChequeWalletDocument,
} from '../../src/reservations/cheques/cheque-wallet.schema.js';
import type { ReservationState } from '../../src/reservations/reservation-state.js';
import type { ReservationDocument } from '../../src/availability/reservation.schema.js';
import type { UnitDocument } from '../../src/units/writing/unit-writes.service.js';

/** When everything was stored. */
export const before = new Date('2026-01-05T08:00:00Z');
/** When a decision about it is made. */
export const now = new Date('2026-02-01T12:00:00Z');

const organizationId = new ObjectId();
const stored = { organizationId, isDeleted: false, createdAt: before, updatedAt: before };

/** A stored reservation that waits for approval. */
export function reservationWith(fields: Partial<ReservationDocument> = {}): ReservationDocument {
  return { ...stored, _id: new ObjectId(), unitId: new ObjectId(), status: 'pending', ...fields };
}

/** A stored unit that a reservation holds. */
export function unitWith(fields: Partial<UnitDocument> = {}): UnitDocument {
  return { ...stored, _id: new ObjectId(), status: 'Reserved', ...fields };
}

/** A stored cheque about which nothing was reported. */
export function chequeWith(fields: Partial<Cheque> = {}): Cheque {
  return { installmentId: '1', status: 'pending', statusHistory: [], ...fields };
}

/** A stored active wallet. */
export function walletWith(fields: Partial<ChequeWalletDocument> = {}): ChequeWalletDocument {
  const reservationId = new ObjectId();
  return { ...stored, _id: new ObjectId(), reservationId, cheques: [chequeWith()], ...fields };
}

/** The fields of a soft-deleted wallet. */
export const deleted = { isDeleted: true, deletedAt: before };

/** A reservation that is the only one of its unit and has no wallet. */
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
