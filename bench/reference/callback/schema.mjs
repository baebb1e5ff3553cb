const cheque = ['pending', 'collected', 'overdue', 'bounced', 'post_dated'];
const reservation = [
  'pending',
  'approved',
  'pending_cheque_collection',
  'rejected',
  'canceled',
  'expired',
];

/** Body of `POST /reservations/webhook`. */
export const callbackSchema = {
  type: 'object',
  required: ['reservationId'],
  properties: {
    reservationId: { type: 'string', minLength: 1 },
    installmentId: { type: 'string', minLength: 1, maxLength: 1_024 },
    chequeNumber: { type: 'string' },
    chequeAmount: { type: 'number' },
    chequeStatus: { enum: cheque },
    reservationStatus: { enum: reservation },
  },
  dependencies: { chequeStatus: ['installmentId'] },
};
