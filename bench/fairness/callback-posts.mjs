import { idOf } from '../data/names.mjs';
import { sizes } from '../data/sizes.mjs';

/** The last reservations: measured requests are about any. */
function reservation(number) {
  return idOf('reservation', sizes.reservations - 1 - number).toHexString();
}

function cheque(number, chequeStatus, installmentId = 'installment-1') {
  return { reservationId: reservation(number), installmentId, chequeStatus, chequeAmount: 10 };
}

function posts(entries) {
  return entries.map(([name, body]) => [
    `callback: ${name}`,
    { path: '/reservations/webhook', body },
  ]);
}

/** What is reported to service and reference one after the other. */
export const callbackPosts = posts([
  ['a cheque that waits', cheque(0, 'post_dated')],
  ['a collected cheque', cheque(0, 'collected')],
  ['collected again', cheque(0, 'collected')],
  ['a bounced cheque', cheque(0, 'bounced')],
  ['a recovered cheque', cheque(0, 'collected')],
  ['an unknown cheque', cheque(0, 'collected', 'none')],
  ['an approval', { reservationId: reservation(1), reservationStatus: 'approved' }],
  ['a second approval', { reservationId: reservation(1), reservationStatus: 'approved' }],
  ['a cancellation with a cheque', { ...cheque(1, 'overdue'), reservationStatus: 'canceled' }],
  ['a second cancellation', { reservationId: reservation(1), reservationStatus: 'canceled' }],
  ['an ignored status', { reservationId: reservation(2), reservationStatus: 'pending' }],
  ['nothing', { reservationId: reservation(2) }],
  ['no such reservation', { reservationId: idOf('reservation', 999_999).toHexString() }],
  ['no id', { reservationId: 'x' }],
  ['a cheque without installment', { reservationId: reservation(2), chequeStatus: 'bounced' }],
]);
