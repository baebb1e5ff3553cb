import type { ReservationStatus } from '../../reservations/reservation-status.js';
import type { ChequeStatus } from '../../reservations/transitions.js';

interface SandboxCheque {
  readonly installmentId: string;
  readonly chequeNumber?: string;
  readonly chequeAmount: number;
  /** Days after the sandbox is filled; negative if the cheque is already due. */
  readonly dueInDays: number;
  /** Statuses that the collector has reported, oldest first. */
  readonly reported?: readonly ChequeStatus[];
}

interface SandboxReservation {
  readonly status: ReservationStatus;
  readonly unit: string;
  readonly lead: string;
  readonly cheques: readonly SandboxCheque[];
}

/** Guides and tests name these records (rule OPS-38). */
export const sandboxLeads = [
  {
    recordSystemId: 'sandbox-lead-1',
    name: 'سلمى عبد الرحمن',
    phoneNumber: '01090000101',
    email: 'salma@sandbox.example',
    project: 'Palm Meadows',
    data: { leadSource: 'website', budget: 8_000_000 },
    additionalData: { utm_source: 'newsletter' },
  },
  {
    recordSystemId: 'sandbox-lead-2',
    name: 'Hany Mansour',
    phoneNumber: '+20 109 000 0102',
    email: 'hany@sandbox.example',
    project: 'Palm Meadows',
    data: { leadSource: 'Walk-in' },
  },
  {
    recordSystemId: 'sandbox-lead-3',
    name: 'نور الدين شوقي',
    phoneNumber: '٠١٠٩٠٠٠٠١٠٣',
    project: 'Sycamore Terraces',
    data: { leadSource: 'website' },
  },
  {
    recordSystemId: 'sandbox-lead-4',
    name: 'Dina Fathy',
    phoneNumber: '01090000104',
    email: 'dina@sandbox.example',
    project: 'Heron Coves',
    data: { leadSource: 'Call center' },
  },
  {
    recordSystemId: 'sandbox-lead-5',
    name: 'مريم جرجس',
    phoneNumber: '01090000105',
    project: 'Lantern Boulevard',
    data: { leadSource: 'website', preferredTime: 'evening' },
  },
  {
    recordSystemId: 'sandbox-lead-6',
    name: 'Tarek Younes',
    phoneNumber: '01090000106',
    phoneNumber2: '+971 50 123 4567',
    project: 'Coral Steps',
  },
];

/** One reservation in each status, all in the partner collection flow. */
export const sandboxReservations: readonly SandboxReservation[] = [
  {
    status: 'pending',
    unit: 'pm-a-201',
    lead: 'sandbox-lead-1',
    cheques: [
      { installmentId: 'installment-1', chequeAmount: 761_000, dueInDays: 7 },
      { installmentId: 'installment-2', chequeAmount: 761_000, dueInDays: 37 },
    ],
  },
  {
    status: 'pending_cheque_collection',
    unit: 'pm-b-002',
    lead: 'sandbox-lead-2',
    cheques: [
      {
        installmentId: 'installment-1',
        chequeNumber: '000201',
        chequeAmount: 1_056_000,
        dueInDays: -30,
        reported: ['pending', 'overdue'],
      },
      {
        installmentId: 'installment-2',
        chequeNumber: '000202',
        chequeAmount: 1_056_000,
        dueInDays: 0,
      },
      {
        installmentId: 'installment-3',
        chequeNumber: '000203',
        chequeAmount: 1_056_000,
        dueInDays: 30,
        reported: ['post_dated'],
      },
      { installmentId: 'installment-4', chequeAmount: 1_056_000, dueInDays: 60 },
    ],
  },
  {
    status: 'approved',
    unit: 'st-a-002',
    lead: 'sandbox-lead-3',
    cheques: [
      {
        installmentId: 'installment-1',
        chequeNumber: '000301',
        chequeAmount: 862_000,
        dueInDays: -10,
        reported: ['pending', 'collected'],
      },
      {
        installmentId: 'installment-2',
        chequeNumber: '000302',
        chequeAmount: 862_000,
        dueInDays: 20,
        reported: ['post_dated'],
      },
    ],
  },
  {
    status: 'rejected',
    unit: 'hc-a-001',
    lead: 'sandbox-lead-4',
    cheques: [{ installmentId: 'installment-1', chequeAmount: 649_000, dueInDays: 14 }],
  },
  {
    // The bounce cancels the reservation and deletes its wallet; `collected` recovers both.
    status: 'canceled',
    unit: 'lb-a-201',
    lead: 'sandbox-lead-5',
    cheques: [
      {
        installmentId: 'installment-1',
        chequeNumber: '000501',
        chequeAmount: 546_000,
        dueInDays: -5,
        reported: ['bounced'],
      },
      { installmentId: 'installment-2', chequeAmount: 546_000, dueInDays: 25 },
    ],
  },
  {
    status: 'expired',
    unit: 'cs-a-002',
    lead: 'sandbox-lead-6',
    cheques: [
      {
        installmentId: 'installment-1',
        chequeNumber: '000601',
        chequeAmount: 610_000,
        dueInDays: -60,
        reported: ['overdue'],
      },
    ],
  },
];

/** Returns the external id of the reservation with this status. */
export function sandboxReservationId(status: ReservationStatus): string {
  return `sandbox-reservation-${status.replaceAll('_', '-')}`;
}
