import { hexOrNull, timeOrNull } from '../reads/values.mjs';

export function presentReservation(reservation, wallet) {
  const { recordSystemId } = reservation;
  return {
    _id: reservation._id.toHexString(),
    ...(recordSystemId === undefined ? {} : { recordSystemId }),
    unitId: hexOrNull(reservation.unitId),
    leadId: hexOrNull(reservation.leadId),
    status: reservation.status,
    partnerCollection: { isActive: reservation.partnerCollection?.isActive ?? false },
    approvedAt: timeOrNull(reservation.approvedAt),
    canceledAt: timeOrNull(reservation.canceledAt),
    isDeleted: reservation.isDeleted,
    createdAt: reservation.createdAt.toISOString(),
    updatedAt: reservation.updatedAt.toISOString(),
    chequeWallet: wallet === undefined ? null : presentWallet(wallet),
  };
}

export function presentWallet(wallet) {
  return {
    _id: wallet._id.toHexString(),
    reservationId: wallet.reservationId.toHexString(),
    unitId: hexOrNull(wallet.unitId),
    isDeleted: wallet.isDeleted,
    deletedAt: timeOrNull(wallet.deletedAt),
    cheques: wallet.cheques.map(presentCheque),
    createdAt: wallet.createdAt.toISOString(),
    updatedAt: wallet.updatedAt.toISOString(),
  };
}

function presentCheque(cheque) {
  return {
    installmentId: cheque.installmentId,
    status: cheque.status,
    ...details(cheque),
    ...(cheque.dueDate ? { dueDate: timeOrNull(cheque.dueDate) } : {}),
    statusHistory: cheque.statusHistory.map((entry) => ({
      status: entry.status,
      ...details(entry),
      changedAt: timeOrNull(entry.changedAt),
      source: entry.source,
    })),
  };
}

/** What a report or a cheque says besides its status. */
export function details({ chequeNumber, chequeAmount }) {
  return {
    ...(chequeNumber === undefined ? {} : { chequeNumber }),
    ...(chequeAmount === undefined ? {} : { chequeAmount }),
  };
}
