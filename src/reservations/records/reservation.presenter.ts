import type { ChequeWalletDocument, Cheque } from '../cheques/cheque-wallet.schema.js';
import {
  numberOf,
  type Stored,
  textOf,
  timeOrNull,
} from '../../database/documents/stored-values.js';
import { chequesOf, historyOf } from '../cheques/cheques.js';
import type { ReservationDocument } from './reservation.schema.js';

/** A wallet as the API and outbound events show it. */
export interface PresentedWallet {
  readonly _id: string;
  readonly reservationId: string;
  readonly unitId: string | null;
  readonly isDeleted: boolean;
  readonly deletedAt: string | null;
  readonly cheques: readonly PresentedCheque[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A cheque as it is shown. */
export interface PresentedCheque {
  readonly installmentId: string;
  readonly status: string;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
  readonly dueDate?: string;
  readonly statusHistory: readonly PresentedHistoryEntry[];
}

/** One report about a cheque as it is shown. */
export interface PresentedHistoryEntry {
  readonly status: string;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
  readonly changedAt: string | null;
  readonly source: string;
}

/** A reservation with its wallet: the active one, else the one deleted last. */
export interface PresentedReservation {
  readonly _id: string;
  readonly recordSystemId?: string;
  readonly unitId: string | null;
  readonly leadId: string | null;
  readonly status: string;
  readonly partnerCollection: { readonly isActive: boolean };
  readonly approvedAt: string | null;
  readonly canceledAt: string | null;
  readonly isDeleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly chequeWallet: PresentedWallet | null;
}

/** What leaves the service of a reservation and its wallet. */
export function presentReservation(
  reservation: ReservationDocument,
  wallet: ChequeWalletDocument | null,
): PresentedReservation {
  const { recordSystemId } = reservation;
  return {
    _id: reservation._id.toHexString(),
    ...(recordSystemId === undefined ? {} : { recordSystemId }),
    unitId: reservation.unitId?.toHexString() ?? null,
    leadId: reservation.leadId?.toHexString() ?? null,
    status: reservation.status,
    partnerCollection: { isActive: reservation.partnerCollection?.isActive ?? false },
    approvedAt: reservation.approvedAt?.toISOString() ?? null,
    canceledAt: reservation.canceledAt?.toISOString() ?? null,
    isDeleted: reservation.isDeleted,
    createdAt: reservation.createdAt.toISOString(),
    updatedAt: reservation.updatedAt.toISOString(),
    chequeWallet: wallet === null ? null : presentWallet(wallet),
  };
}

/** What leaves the service of a wallet. */
export function presentWallet(wallet: ChequeWalletDocument): PresentedWallet {
  return {
    _id: wallet._id.toHexString(),
    reservationId: wallet.reservationId.toHexString(),
    unitId: wallet.unitId?.toHexString() ?? null,
    isDeleted: wallet.isDeleted,
    deletedAt: wallet.deletedAt?.toISOString() ?? null,
    cheques: chequesOf(wallet).map(presentCheque),
    createdAt: wallet.createdAt.toISOString(),
    updatedAt: wallet.updatedAt.toISOString(),
  };
}

/** What leaves the service of a cheque. */
export function presentCheque(cheque: Cheque): PresentedCheque {
  const dueDate = timeOrNull(cheque.dueDate);
  return {
    installmentId: textOf(cheque.installmentId),
    status: textOf(cheque.status),
    ...paper(cheque),
    ...(dueDate === null ? {} : { dueDate }),
    statusHistory: historyOf(cheque).map((entry) => ({
      status: textOf(entry.status),
      ...paper(entry),
      changedAt: timeOrNull(entry.changedAt),
      source: textOf(entry.source),
    })),
  };
}

/** Number and amount, whatever numeric type another program has chosen. */
function paper({
  chequeNumber,
  chequeAmount,
}: Stored<Pick<Cheque, 'chequeNumber' | 'chequeAmount'>>) {
  const hasAmount = chequeAmount !== undefined && chequeAmount !== null;
  return {
    ...(typeof chequeNumber === 'string' ? { chequeNumber } : {}),
    ...(hasAmount ? { chequeAmount: numberOf(chequeAmount) } : {}),
  };
}
