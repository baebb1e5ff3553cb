import type { Step } from '../client/demo-client.js';
import type { Chapter } from './chapter.js';

const unit = 'pm-a-001';
/** The external id of the reservation that the story is about; its id is captured as `deal`. */
export const deal = 'deal-1';
const otherDeal = 'deal-2';
const status = 'pending_cheque_collection';
const bounced = { reservationId: '{deal}', installmentId: 'first', chequeStatus: 'bounced' };
const collected = { ...bounced, chequeStatus: 'collected', chequeAmount: 250_000 };
const bothApplied = { 'x-callback-reservation': 'applied', 'x-callback-cheque': 'applied' };
const reservationApplied = { 'x-callback-reservation': 'applied', 'x-callback-cheque': 'none' };
const chequeApplied = { 'x-callback-reservation': 'unchanged', 'x-callback-cheque': 'applied' };

/** A reservation from the first visit to the last cheque, as a CRM and a collection partner see it. */
export const reservationChapters: readonly Chapter[] = [
  {
    title: 'The CRM reserves a unit for a lead',
    steps: [
      {
        ...post('leads', { recordSystemId: 'buyer-1', name: 'Heba Mansour' }, 201, {}),
        isSilent: true,
      },
      {
        ...post(
          'reservations',
          { recordSystemId: deal, unit, lead: { recordSystemId: 'buyer-1' } },
          201,
          {
            operation: 'create',
            reservation: { recordSystemId: deal, partnerCollection: { isActive: false } },
          },
        ),
        captured: { deal: 'body.reservation._id' },
      },
    ],
  },
  {
    title: 'It adds the cheques that a collection partner collects',
    steps: [
      post(
        'reservations',
        {
          recordSystemId: deal,
          status,
          partnerCollection: true,
          cheques: [
            { installmentId: 'first', chequeNumber: '000123', chequeAmount: 250_000 },
            { installmentId: 'second', chequeAmount: 250_000, dueDate: '2027-01-01' },
          ],
        },
        200,
        {
          operation: 'update',
          reservation: {
            recordSystemId: deal,
            status,
            partnerCollection: { isActive: true },
            chequeWallet: { isDeleted: false },
          },
        },
      ),
    ],
  },
  {
    title: 'The partner collects the first cheque: the unit is sold',
    steps: [callback(collected, bothApplied), read({ status: 'approved' })],
  },
  {
    title: 'The cheque bounces after all: the reservation is canceled',
    steps: [
      callback(bounced, bothApplied),
      read({ status: 'canceled', chequeWallet: { isDeleted: true } }),
    ],
  },
  {
    title: 'Another buyer takes the unit',
    steps: [
      {
        ...post('reservations', { recordSystemId: otherDeal, unit, status }, 201, {
          operation: 'create',
          reservation: {
            recordSystemId: otherDeal,
            status,
            partnerCollection: { isActive: false },
          },
        }),
        captured: { otherDeal: 'body.reservation._id' },
      },
      callback({ reservationId: '{otherDeal}', reservationStatus: 'approved' }, reservationApplied),
    ],
  },
  {
    title: 'The cheque is recovered too late: it is stored, the reservation stays canceled',
    steps: [
      {
        ...callback(collected, {}),
        expected: {
          status: 422,
          headers: { 'x-callback-cheque': 'applied' },
          body: { message: 'This unit already reserved', error: 'Unprocessable Entity' },
        },
      },
      read({ status: 'canceled' }),
    ],
  },
  {
    title: 'The other buyer withdraws: the cheque bounces again and is recovered',
    steps: [
      callback({ reservationId: '{otherDeal}', reservationStatus: 'canceled' }, reservationApplied),
      callback(bounced, chequeApplied),
      callback(collected, bothApplied),
      read({ status: 'approved', chequeWallet: { isDeleted: false } }),
    ],
  },
  {
    title: "The partner compares its ledger: one cheque's status differs",
    steps: [
      post(
        'reservations/reconciliation',
        {
          cheques: [
            collected,
            { reservationId: '{deal}', installmentId: 'second', chequeStatus: 'post_dated' },
          ],
        },
        200,
        {
          compared: 2,
          matching: 1,
          differences: [{ index: 1, kind: 'status', ours: 'pending', theirs: 'post_dated' }],
        },
      ),
    ],
  },
];

function post(path: string, sent: object, expectedStatus: number, body: object): Step {
  return {
    request: { method: 'POST', path, body: sent },
    expected: { status: expectedStatus, body },
  };
}

function callback(sent: object, headers: Readonly<Record<string, string>>): Step {
  return {
    request: { method: 'POST', path: 'reservations/webhook', body: sent },
    expected: { status: 201, headers, body: '' },
  };
}

function read(data: object): Step {
  return {
    request: { method: 'GET', path: 'reservations/{deal}' },
    expected: { status: 200, body: { data } },
  };
}
