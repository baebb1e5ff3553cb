import { sentFields } from '../../../reservations/callback/callback-record.js';
import type {
  InspectedCallback,
  InspectedReservation,
} from '../../../reservations/reading/reservation-inspection.service.js';
import type { Columns } from '../command-line/output.js';

/** One cheque of a reservation, in whichever of its wallets. */
interface ChequeLine {
  readonly wallet: string;
  readonly installmentId: string;
  readonly status: string;
  readonly chequeNumber: string | undefined;
  readonly chequeAmount: number | undefined;
  readonly dueDate: string | undefined;
}

/** One entry of a cheque's history. */
interface HistoryLine {
  readonly changedAt: string | null;
  readonly installmentId: string;
  readonly status: string;
  readonly chequeNumber: string | undefined;
  readonly chequeAmount: number | undefined;
  readonly source: string;
}

/** The lines of `reservation show`. */
export const reservationColumns: Columns<InspectedReservation> = {
  Id: ({ _id }) => _id,
  Organization: ({ organizationId }) => organizationId,
  'External id': ({ recordSystemId }) => recordSystemId,
  Status: ({ status, isDeleted }) => (isDeleted ? `${status} (reservation deleted)` : status),
  Unit: ({ unitId, unit }) => unit?.slug ?? unitId,
  'Unit status': ({ unit }) => unitStatus(unit),
  Lead: ({ leadId }) => leadId,
  'Partner collection': ({ partnerCollection }) =>
    partnerCollection.isActive ? 'active' : 'not active',
  Wallet: ({ wallets }) => walletState(wallets),
  Approved: ({ approvedAt }) => approvedAt,
  Canceled: ({ canceledAt }) => canceledAt,
  Created: ({ createdAt }) => createdAt,
  Updated: ({ updatedAt }) => updatedAt,
};

export const chequeColumns: Columns<ChequeLine> = {
  Installment: ({ installmentId }) => installmentId,
  Cheque: ({ status }) => status,
  Number: ({ chequeNumber }) => chequeNumber,
  Amount: ({ chequeAmount }) => chequeAmount,
  Due: ({ dueDate }) => dueDate,
  Wallet: ({ wallet }) => wallet,
};

export const historyColumns: Columns<HistoryLine> = {
  Reported: ({ changedAt }) => changedAt,
  Installment: ({ installmentId }) => installmentId,
  Cheque: ({ status }) => status,
  Number: ({ chequeNumber }) => chequeNumber,
  Amount: ({ chequeAmount }) => chequeAmount,
  Source: ({ source }) => source,
};

export const callbackColumns: Columns<InspectedCallback> = {
  Received: ({ receivedAt }) => receivedAt,
  Response: ({ outcome }) => outcome.status,
  Reservation: ({ outcome }) => outcome.reservation,
  Cheque: ({ outcome }) => outcome.cheque,
  Why: ({ outcome }) => [...outcome.messages],
  Sent: (callback) => sentFields(callback).join(' '),
  'Other fields': ({ otherFields }) => otherFields,
  Organization: ({ organizationId }) => organizationId,
  Key: ({ apiKeyId }) => apiKeyId,
  Request: ({ requestId }) => requestId,
};

/** The cheques of all wallets, those of the active one first. */
export function chequeLines({ wallets }: InspectedReservation): ChequeLine[] {
  return wallets.flatMap(({ cheques, deletedAt, isDeleted }) =>
    cheques.map(({ installmentId, status, chequeNumber, chequeAmount, dueDate }) => ({
      wallet: isDeleted ? `deleted ${deletedAt ?? ''}`.trimEnd() : 'active',
      installmentId,
      status,
      chequeNumber,
      chequeAmount,
      dueDate,
    })),
  );
}

/** Every report about any of the cheques, oldest first. */
export function historyLines({ wallets }: InspectedReservation): HistoryLine[] {
  const lines = wallets.flatMap(({ cheques }) =>
    cheques.flatMap(({ installmentId, statusHistory }) =>
      statusHistory.map(({ changedAt, status, chequeNumber, chequeAmount, source }) => {
        return { changedAt, installmentId, status, chequeNumber, chequeAmount, source };
      }),
    ),
  );
  return lines.toSorted((a, b) => (a.changedAt ?? '').localeCompare(b.changedAt ?? ''));
}

function unitStatus(unit: InspectedReservation['unit']): string {
  if (unit === null) return 'missing';
  return unit.isDeleted ? `${unit.status ?? ''} (unit deleted)`.trimStart() : (unit.status ?? '');
}

function walletState(wallets: InspectedReservation['wallets']): string {
  const [first] = wallets;
  if (first === undefined) return 'none';
  return first.isDeleted ? `soft-deleted ${first.deletedAt ?? ''}`.trimEnd() : 'active';
}
