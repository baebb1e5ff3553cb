import type { DocumentedError } from '../../http/reference/api-documentation.js';

/** There is no such reservation in the caller's organization. */
export const reservationNotFound: DocumentedError = {
  status: 404,
  description: "No reservation of the caller's organization has this id",
  message: 'Reservation not found',
};

/** The headers that say what the callback's empty body cannot ("Reservation callback" 8). */
export const callbackAnswerHeaders = {
  'x-callback-reservation': {
    description:
      'applied: something was stored; unchanged: it was so already, or no status was sent; ' +
      'ignored: the status is valid but changes nothing.',
    schema: { type: 'string' as const, enum: ['applied', 'unchanged', 'ignored'] },
  },
  'x-callback-cheque': {
    description:
      'applied: the report was stored; skipped: the reservation has no matching wallet; ' +
      'none: no cheque was sent, or none was reached.',
    schema: { type: 'string' as const, enum: ['applied', 'skipped', 'none'] },
  },
};

const refusals: readonly DocumentedError[] = [
  {
    status: 400,
    description: 'A field has the wrong type or value',
    message: [
      'chequeStatus must be a valid enum value',
      'chequeStatus must be one of the following values: pending, collected, overdue, bounced, post_dated',
    ],
  },
  {
    status: 400,
    description: 'A cheque status without its installment',
    message: ['chequeStatus must be sent together with installmentId'],
  },
  reservationNotFound,
  {
    status: 404,
    description: 'The unit of the reservation is deleted; a cheque update stays stored',
    message: 'Unit not found',
  },
  {
    status: 404,
    description: 'The active wallet has no such cheque; a reservation update stays stored',
    message: 'Cheque not found in wallet',
  },
  {
    status: 422,
    description: 'The reservation is not pending cheque collection',
    message: 'Reservation must be pending cheque collection before OIC approval',
  },
  {
    status: 422,
    description: 'Another reservation of the unit is approved; the cheque update stays stored',
    message: 'This unit already reserved',
  },
  {
    status: 422,
    description: 'The reports about the cheques have grown beyond what a wallet can hold',
    message: 'The cheque wallet is full: it would become larger than 4 MiB',
  },
];

/** What the callback refuses, beside what every endpoint refuses (section 7). */
export const callbackRefusals: readonly DocumentedError[] = refusals.map((refusal) =>
  refusal.status === 400 ? refusal : { ...refusal, headers: callbackAnswerHeaders },
);

/** What `POST /reservations` refuses, beside what every endpoint refuses. */
export const upsertRefusals: readonly DocumentedError[] = [
  {
    status: 400,
    description: 'A field has the wrong type or value',
    message: [
      'unit must be a slug, or an object with either recordSystemId or unitId',
      'cheques.0.installmentId must be a string',
    ],
  },
  {
    status: 400,
    description: 'There is no such reservation yet, and no unit to create it for',
    message: ['unit is required to create a reservation'],
  },
  {
    status: 400,
    description: 'Two compounds have a unit with this unitId',
    message: ['unit.unitId names more than one unit, send the slug or the recordSystemId instead'],
  },
  { status: 404, description: 'The organization has no such unit', message: 'Unit not found' },
  { status: 404, description: 'The organization has no such lead', message: 'Lead not found' },
  {
    status: 422,
    description: 'The status is approved',
    message: 'A reservation is approved by the reservation callback only',
  },
  {
    status: 422,
    description: 'A new reservation has another status than these two',
    message: 'A reservation can only be created as pending or pending_cheque_collection',
  },
  {
    status: 422,
    description: 'The reservation is for another unit',
    message: 'The unit of a reservation cannot be changed',
  },
];
