import type {
  FoundReservation,
  ReservationDetails,
  CallbackEntry,
} from '../../reservations/reading/reservation-lookup.service.js';
import {
  createdAtField,
  externalIdField,
  idField,
  organizationField,
  requestIdField,
  statusField,
  updatedAtField,
} from './common.js';
import { field, recordPath, type ViewField } from './view-field.js';

type Wallet = ReservationDetails['wallets'][number];
type Cheque = Wallet['cheques'][number] & { readonly wallet: Wallet };
type Report = Cheque['statusHistory'][number] & Pick<Cheque, 'installmentId'>;

export const reservationListFields: readonly ViewField<FoundReservation>[] = [
  field('code', 'shared.reservation', '_id', { record: 'reservation' }),
  externalIdField,
  statusField,
  field('code', 'shared.unit', 'unitId', { record: 'unit' }),
  createdAtField,
  updatedAtField,
];

export const reservationFields: readonly ViewField<
  ReservationDetails & {
    readonly organizationName?: string;
    readonly leadNumber?: number | null;
  }
>[] = [
  idField,
  organizationField,
  externalIdField,
  statusField,
  field('code', 'shared.unit', ({ unitId, unit }) => unit?.slug ?? unitId, {
    to: ({ organizationId, unitId }) => recordPath('unit', organizationId, unitId ?? null),
  }),
  field('text', 'reservation.unitStatus', ({ unit }) => unit?.status, {
    note: ({ unit }) => {
      if (unit === null) return 'reservation.unitMissing';
      return unit.isDeleted ? 'shared.deleted' : null;
    },
  }),
  field('code', 'shared.lead', ({ leadId, leadNumber = null }) => leadNumber ?? leadId, {
    to: ({ organizationId, leadId }) => recordPath('lead', organizationId, leadId ?? null),
  }),
  field('status', 'reservation.partner', ({ partnerCollection }) =>
    partnerCollection.isActive ? 'shared.active' : 'shared.inactive',
  ),
  field('status', 'reservation.wallet', ({ wallets: [wallet] }) =>
    wallet === undefined ? 'shared.none' : walletState(wallet),
  ),
  field('time', 'reservation.walletDeleted', ({ wallets: [wallet] }) => wallet?.deletedAt),
  field('time', 'reservation.approved', 'approvedAt'),
  field('time', 'reservation.canceled', 'canceledAt'),
  createdAtField,
  updatedAtField,
];

const installment: ViewField<{ readonly installmentId: string }> = field(
  'code',
  'reservation.installment',
  'installmentId',
);

const chequeState: readonly ViewField<Pick<Report, 'status' | 'chequeNumber' | 'chequeAmount'>>[] =
  [
    field('code', 'reservation.cheque', 'status'),
    field('code', 'shared.number', 'chequeNumber'),
    field('number', 'reservation.amount', 'chequeAmount'),
  ];

export const chequeFields: readonly ViewField<Cheque>[] = [
  installment,
  ...chequeState,
  field('day', 'reservation.due', 'dueDate'),
  field('status', 'reservation.wallet', ({ wallet }) => walletState(wallet)),
  field('time', 'reservation.walletDeleted', ({ wallet }) => wallet.deletedAt),
];

export const reportFields: readonly ViewField<Report>[] = [
  field('time', 'reservation.reported', 'changedAt'),
  installment,
  ...chequeState,
  field('text', 'reservation.source', 'source'),
];

type Callback = Pick<
  CallbackEntry,
  'payload' | 'refusedFields' | 'otherFields' | 'outcome' | 'requestId'
>;

export const callbackFields = {
  sent: field('code', 'reservation.sent', (item) => sentFields(item).join(' ')),
  otherFields: field('number', 'reservation.otherFields', 'otherFields'),
  why: field('text', 'reservation.reason', ({ outcome }) => outcome.messages),
  request: requestIdField,
} as const satisfies Readonly<Record<string, ViewField<Callback>>>;

export const callbackListFields: readonly ViewField<CallbackEntry>[] = [
  field('time', 'reservation.received', 'receivedAt'),
  field('number', 'shared.response', ({ outcome }) => outcome.status),
  field('code', 'shared.reservation', ({ outcome }) => outcome.reservation),
  field('code', 'reservation.cheque', ({ outcome }) => outcome.cheque),
  callbackFields.why,
  callbackFields.sent,
  callbackFields.otherFields,
  field('code', 'shared.organization', 'organizationId'),
  field('code', 'shared.key', 'apiKeyId'),
  callbackFields.request,
];

/** Returns the cheques of the active wallet first. */
export function chequesInAllWallets({ wallets }: ReservationDetails): Cheque[] {
  return wallets.flatMap((wallet) => wallet.cheques.map((cheque) => ({ ...cheque, wallet })));
}

export function reportsOf(reservation: ReservationDetails): Report[] {
  return chequesInAllWallets(reservation)
    .flatMap(({ installmentId, statusHistory }) =>
      statusHistory.map((report) => ({ ...report, installmentId })),
    )
    .toSorted((a, b) => (a.changedAt ?? '').localeCompare(b.changedAt ?? ''));
}

function walletState({ isDeleted }: Wallet) {
  return isDeleted ? 'shared.deleted' : 'reservation.walletActive';
}

function sentFields({
  payload,
  refusedFields,
}: Pick<Callback, 'payload' | 'refusedFields'>): string[] {
  const { reservationId: _id, ...fields } = payload;
  const refused = (refusedFields ?? []).map(({ field: name, type, length }) =>
    length === null ? `${name}=•••••• (${type})` : `${name}=•••••• (${type} of ${length})`,
  );
  return [...Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`), ...refused];
}
