import { errorDefinitions } from '../core/errors/domain-error.js';

export const reservationErrors = errorDefinitions('reservations', {
  reservationNotFound: {
    status: 404,
    code: 'reservation.not_found',
    cause: 'The organization has no reservation with this id',
    remedy: 'Compare the id with the `_id` of the reservation',
  },
  unitNotFound: {
    status: 404,
    code: 'reservation.unit_not_found',
    cause: 'The organization has no such unit, or it is deleted; a cheque report stays stored',
    remedy: 'Send a unit that exists; for a callback, ask the organization',
  },
  chequeNotFound: {
    status: 404,
    code: 'cheque.not_found',
    cause: 'The active wallet has no such cheque; a changed reservation stays stored',
    remedy: 'Read the reservation and send an `installmentId` of its wallet',
  },
  notPendingChequeCollection: {
    status: 422,
    code: 'reservation.not_pending_cheque_collection',
    cause: 'A callback approves a reservation that is not `pending_cheque_collection`',
    remedy: 'Read the reservation; it may be approved already',
  },
  unitAlreadyReserved: {
    status: 422,
    code: 'unit.already_reserved',
    cause: 'Another reservation of the unit is approved; the cheque report stays stored',
    remedy: 'Once the unit is free, report the cheque `bounced` and `collected` again',
  },
  walletFull: {
    status: 422,
    code: 'wallet.full',
    cause: 'The cheques and their histories exceed the size of a wallet',
    remedy: 'Send fewer cheques or shorter values, and do not repeat reports',
  },
  unitRequired: {
    status: 400,
    code: 'reservation.unit_required',
    isList: true,
    cause: 'The reservation does not exist yet, and a new one needs a unit',
    remedy: 'Send `unit`',
  },
  unitAmbiguous: {
    status: 400,
    code: 'reservation.unit_ambiguous',
    isList: true,
    cause: 'Several compounds have a unit with this `unitId`',
    remedy: 'Send the slug or the `recordSystemId` of the unit',
  },
  neverApproved: {
    status: 422,
    code: 'reservation.approved_by_callback_only',
    cause: 'The sent status is `approved`, but the reservation is not approved',
    remedy: 'Approve the reservation with a callback',
  },
  createdPending: {
    status: 422,
    code: 'reservation.not_created_pending',
    cause: 'The reservation does not exist yet, and was sent with another status',
    remedy: 'Create the reservation as `pending`, then update it',
  },
  unitFixed: {
    status: 422,
    code: 'reservation.unit_fixed',
    cause: 'The reservation is for another unit',
    remedy: 'Create another reservation for the other unit',
  },
});
