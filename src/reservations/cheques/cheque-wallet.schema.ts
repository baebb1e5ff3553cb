import { Schema, type Types } from 'mongoose';
import type { DeletableDocument } from '../../database/documents/tenant-document.js';
import type { ChequeStatus } from '../states.js';

/** One report about a cheque; entries are only ever added. */
export interface ChequeHistoryEntry {
  readonly status: ChequeStatus;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
  readonly changedAt?: Date;
  readonly source: string;
}

/** A cheque of a wallet, known to the partner by its installment. */
export interface Cheque {
  readonly installmentId: string;
  readonly status: ChequeStatus;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
  readonly dueDate?: Date;
  readonly statusHistory?: readonly ChequeHistoryEntry[];
}

/** A document of `chequeWallets`. */
export interface ChequeWalletDocument extends DeletableDocument {
  reservationId: Types.ObjectId;
  unitId?: Types.ObjectId | null;
  cheques?: readonly Cheque[];
}

const facts = { status: String, chequeNumber: String, chequeAmount: Number };

/** Collection `chequeWallets`. */
export const chequeWalletSchema = new Schema<ChequeWalletDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    reservationId: Schema.Types.ObjectId,
    unitId: Schema.Types.ObjectId,
    cheques: [
      {
        _id: false,
        installmentId: String,
        ...facts,
        dueDate: Date,
        statusHistory: [{ _id: false, ...facts, changedAt: Date, source: String }],
      },
    ],
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'chequeWallets' },
);

/** A reservation has one active wallet. */
chequeWalletSchema.index(
  { organizationId: 1, reservationId: 1 },
  {
    name: 'activeOfReservation',
    unique: true,
    partialFilterExpression: { isDeleted: false, reservationId: { $exists: true } },
  },
);
/** Serves the wallets of a reservation, the soft-deleted ones newest first. */
chequeWalletSchema.index(
  { organizationId: 1, reservationId: 1, isDeleted: 1, deletedAt: -1 },
  { name: 'ofReservation' },
);
