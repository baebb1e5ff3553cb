import type { ReservationDocument } from '../../availability/reservation.schema.js';
import {
  numberOf,
  type Stored,
  textOf,
  timeOrNull,
} from '../../core/database/documents/stored-values.js';
import type { Cheque, ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import { chequesOf, historyOf } from '../cheques/cheques.js';
import type { ChequeDto, ChequeWalletDto, ReservationDto } from './reservation.dto.js';

/** @param wallet the active one, else the one deleted last */
export function presentReservation(
  reservation: ReservationDocument,
  wallet: ChequeWalletDocument | undefined,
): ReservationDto {
  const chequeWallet = wallet === undefined ? null : presentWallet(wallet);
  return { ...presentFields(reservation), chequeWallet };
}

export function presentFields(
  reservation: ReservationDocument,
): Omit<ReservationDto, 'chequeWallet'> {
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
  };
}

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

export function presentCheque(cheque: Cheque): ChequeDto {
  const dueDate = timeOrNull(cheque.dueDate);
  return {
    installmentId: textOf(cheque.installmentId),
    ...presentFacts(cheque),
    ...(dueDate === null ? {} : { dueDate }),
    statusHistory: historyOf(cheque).map((entry) => ({
      ...presentFacts(entry),
      changedAt: timeOrNull(entry.changedAt),
      source: textOf(entry.source),
    })),
  };
}

/** Status, number and amount, whatever types another program stored. */
function presentFacts({
  status,
  chequeNumber,
  chequeAmount,
}: Stored<Pick<Cheque, 'status' | 'chequeNumber' | 'chequeAmount'>>) {
  const hasAmount = chequeAmount !== undefined && chequeAmount !== null;
  return {
    status: textOf(status),
    ...(typeof chequeNumber === 'string' ? { chequeNumber } : {}),
    ...(hasAmount ? { chequeAmount: numberOf(chequeAmount) } : {}),
  };
}
