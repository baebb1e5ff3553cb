export const reservationExamples = {
  'With the cheques to collect': {
    recordSystemId: 'deal-4711',
    unit: 'pm-a-001',
    status: 'pending_cheque_collection',
    partnerCollection: true,
    cheques: [
      {
        installmentId: 'installment-1',
        chequeNumber: '000123',
        chequeAmount: 250_000,
        dueDate: '2026-06-01T00:00:00.000Z',
      },
      {
        installmentId: 'installment-2',
        chequeAmount: 250_000,
        dueDate: '2026-09-01T00:00:00.000Z',
      },
    ],
  },
  'A unit and a lead by your own ids': {
    recordSystemId: 'deal-4712',
    unit: { recordSystemId: 'ERP-PM-A-003' },
    lead: { recordSystemId: 'website-form-7-4711' },
  },
};

const reservationId = '6740b1f2c3d4e5f607182940';
const installment = { reservationId, installmentId: 'installment-1' };
const collected = {
  ...installment,
  chequeStatus: 'collected',
  chequeNumber: '000123',
  chequeAmount: 250_000,
};
const bounced = { ...installment, chequeStatus: 'bounced' };

/** They succeed in this order. */
export const callbackExamples = {
  'The reservation is approved': { reservationId, reservationStatus: 'approved' },
  'A cheque was collected': collected,
  'A cheque bounced': bounced,
  'The reservation is canceled': { reservationId, reservationStatus: 'canceled' },
};

export const reconciliationExamples = {
  'Some cheques': { cheques: [collected] },
  'The whole ledger': { cheques: [bounced], complete: true },
};

const id = '$response.body#/reservation/_id';

export const reservationLinks = {
  read: { operationId: 'readReservation', parameters: { reservationId: id } },
  report: { operationId: 'reportReservationChange', requestBody: { reservationId: id } },
};
