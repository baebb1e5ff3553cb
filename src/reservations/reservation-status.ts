export const reservationStatuses = [
  'pending',
  'approved',
  'pending_cheque_collection',
  'rejected',
  'canceled',
  'expired',
] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

export function isOpenReservation(status: string | undefined): boolean {
  return status === 'pending' || status === 'pending_cheque_collection';
}
