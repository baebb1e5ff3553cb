/** The statuses of a reservation (rule CALL-3). */
export const reservationStatuses = [
  'pending',
  'approved',
  'pending_cheque_collection',
  'rejected',
  'canceled',
  'expired',
] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

/** The statuses of a cheque (rule CALL-3). */
export const chequeStatuses = ['pending', 'collected', 'overdue', 'bounced', 'post_dated'] as const;
export type ChequeStatus = (typeof chequeStatuses)[number];
