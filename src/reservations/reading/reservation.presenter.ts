import type { ChequeWalletDocument, Cheque } from '../cheques/cheque-wallet.schema.js';
import {
  numberOf,
  type Stored,
  textOf,
  timeOrNull,
} from '../../core/database/documents/stored-values.js';
import { chequesOf, historyOf } from '../cheques/cheques.js';
import type { ReservationDocument } from '../../availability/reservation.schema.js';
import type { ChequeDto, ChequeWalletDto, ReservationDto } from './reservation.dto.js';

/** A reservation as the API returns it, with the wallet that is active or was deleted last. */
export function presentReservation(
  reservation: ReservationDocument,
  wallet?: ChequeWalletDocument,
): ReservationDto {
  const { recordSystemId } = reservation;
  return {
    _id: reservation._id.toHexString(),
    ...(typeof recordSystemId === 'string' ? { recordSystemId } : {}),
    unitId: reservation.unitId?.toHexString() ?? null,
    leadId: reservation.leadId?.toHexString() ?? null,
    status: textOf(reservation.status),
    partnerCollection: { isActive: reservation.partnerCollection?.isActive ?? false },
    approvedAt: reservation.approvedAt?.toISOString() ?? null,
    canceledAt: reservation.canceledAt?.toISOString() ?? null,
    isDeleted: reservation.isDeleted,
    createdAt: reservation.createdAt.toISOString(),
    updatedAt: reservation.updatedAt.toISOString(),
    chequeWallet: wallet === undefined ? null : presentWallet(wallet),
  };
}

/** A wallet as the API returns it and Wallet events carry it. */
export function presentWallet(wallet: ChequeWalletDocument): ChequeWalletDto {
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

/** A cheque as the API returns it. */
export function presentCheque(cheque: Cheque): ChequeDto {
  const dueDate = timeOrNull(cheque.dueDate);
  return {
    installmentId: textOf(cheque.installmentId),
    status: textOf(cheque.status),
    ...numberAndAmount(cheque),
    ...(dueDate === null ? {} : { dueDate }),
    statusHistory: historyOf(cheque).map((entry) => ({
      status: textOf(entry.status),
      ...numberAndAmount(entry),
      changedAt: timeOrNull(entry.changedAt),
      source: textOf(entry.source),
    })),
  };
}

/** Number and amount, whatever numeric type another program stored. */
function numberAndAmount({
  chequeNumber,
  chequeAmount,
}: Stored<Pick<Cheque, 'chequeNumber' | 'chequeAmount'>>) {
  const hasAmount = chequeAmount !== undefined && chequeAmount !== null;
  return {
    ...(typeof chequeNumber === 'string' ? { chequeNumber } : {}),
    ...(hasAmount ? { chequeAmount: numberOf(chequeAmount) } : {}),
  };
}
