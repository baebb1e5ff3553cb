import type {
  FoundReservation,
  InspectedReservation,
  ShownCallback,
} from '../../reservations/reading/reservation-lookup.service.js';
import {
  createdAt,
  externalIdField,
  id,
  organizationField,
  requestIdField,
  statusField,
  updatedAt,
} from './common.js';
import { type ViewField, recordPath } from './field.js';

type Wallet = InspectedReservation['wallets'][number];
type Cheque = Wallet['cheques'][number] & { readonly wallet: Wallet };
type Report = Cheque['statusHistory'][number] & Pick<Cheque, 'installmentId'>;

export const reservationListFields: readonly ViewField<FoundReservation>[] = [
  { title: 'shared.reservation', kind: 'code', of: ({ _id }) => _id, record: 'reservation' },
  externalIdField,
  statusField,
  { title: 'shared.unit', kind: 'code', of: ({ unitId }) => unitId, record: 'unit' },
  createdAt,
  updatedAt,
];

export const reservationFields: readonly ViewField<
  InspectedReservation & {
    readonly organizationName?: string;
    readonly leadNumber?: number | null;
  }
>[] = [
  id,
  organizationField,
  externalIdField,
  statusField,
  {
    title: 'shared.unit',
    kind: 'code',
    of: ({ unitId, unit }) => unit?.slug ?? unitId,
    to: ({ organizationId, unitId }) => recordPath('unit', organizationId, unitId ?? null),
  },
  {
    title: 'reservation.unitStatus',
    kind: 'text',
    of: ({ unit }) => unit?.status,
    note: ({ unit }) => {
      if (unit === null) return 'reservation.unitMissing';
      return unit.isDeleted ? 'shared.deleted' : null;
    },
  },
  {
    title: 'shared.lead',
    kind: 'code',
    of: ({ leadId, leadNumber = null }) => leadNumber ?? leadId,
    to: ({ organizationId, leadId }) => recordPath('lead', organizationId, leadId ?? null),
  },
  {
    title: 'reservation.partner',
    kind: 'status',
    of: ({ partnerCollection }) =>
      partnerCollection.isActive ? 'shared.active' : 'shared.inactive',
  },
  {
    title: 'reservation.wallet',
    kind: 'status',
    of: ({ wallets: [wallet] }) => (wallet === undefined ? 'shared.noneOfIt' : walletState(wallet)),
  },
  {
    title: 'reservation.walletDeleted',
    kind: 'time',
    of: ({ wallets: [wallet] }) => wallet?.deletedAt,
  },
  { title: 'reservation.approved', kind: 'time', of: ({ approvedAt }) => approvedAt },
  { title: 'reservation.canceled', kind: 'time', of: ({ canceledAt }) => canceledAt },
  createdAt,
  updatedAt,
];

const installment: ViewField<{ readonly installmentId: string }> = {
  title: 'reservation.installment',
  kind: 'code',
  of: ({ installmentId }) => installmentId,
};

const chequeState: readonly ViewField<Pick<Report, 'status' | 'chequeNumber' | 'chequeAmount'>>[] =
  [
    { title: 'reservation.cheque', kind: 'code', of: (item) => item.status },
    { title: 'shared.number', kind: 'code', of: ({ chequeNumber }) => chequeNumber },
    { title: 'reservation.amount', kind: 'number', of: ({ chequeAmount }) => chequeAmount },
  ];

export const chequeFields: readonly ViewField<Cheque>[] = [
  installment,
  ...chequeState,
  { title: 'reservation.due', kind: 'day', of: ({ dueDate }) => dueDate },
  { title: 'reservation.wallet', kind: 'status', of: ({ wallet }) => walletState(wallet) },
  { title: 'reservation.walletDeleted', kind: 'time', of: ({ wallet }) => wallet.deletedAt },
];

export const reportFields: readonly ViewField<Report>[] = [
  { title: 'reservation.reported', kind: 'time', of: ({ changedAt }) => changedAt },
  installment,
  ...chequeState,
  { title: 'reservation.source', kind: 'text', of: ({ source }) => source },
];

type Callback = Pick<
  ShownCallback,
  'payload' | 'refusedFields' | 'otherFields' | 'outcome' | 'requestId'
>;

export const callbackFields = {
  sent: { title: 'reservation.sent', kind: 'code', of: (item) => sentFields(item).join(' ') },
  otherFields: {
    title: 'reservation.otherFields',
    kind: 'number',
    of: (item) => item.otherFields,
  },
  why: { title: 'reservation.why', kind: 'text', of: ({ outcome }) => outcome.messages },
  request: requestIdField,
} as const satisfies Readonly<Record<string, ViewField<Callback>>>;

export const callbackListFields: readonly ViewField<ShownCallback>[] = [
  { title: 'reservation.received', kind: 'time', of: ({ receivedAt }) => receivedAt },
  { title: 'shared.response', kind: 'number', of: ({ outcome }) => outcome.status },
  { title: 'shared.reservation', kind: 'code', of: ({ outcome }) => outcome.reservation },
  { title: 'reservation.cheque', kind: 'code', of: ({ outcome }) => outcome.cheque },
  callbackFields.why,
  callbackFields.sent,
  callbackFields.otherFields,
  { title: 'shared.organization', kind: 'code', of: ({ organizationId }) => organizationId },
  { title: 'shared.key', kind: 'code', of: ({ apiKeyId }) => apiKeyId },
  callbackFields.request,
];

/** The cheques of all wallets, those of the active one first. */
export function chequesInAllWallets({ wallets }: InspectedReservation): Cheque[] {
  return wallets.flatMap((wallet) => wallet.cheques.map((cheque) => ({ ...cheque, wallet })));
}

export function reportsOf(reservation: InspectedReservation): Report[] {
  return chequesInAllWallets(reservation)
    .flatMap(({ installmentId, statusHistory }) =>
      statusHistory.map((report) => ({ ...report, installmentId })),
    )
    .toSorted((a, b) => (a.changedAt ?? '').localeCompare(b.changedAt ?? ''));
}

function walletState({ isDeleted }: Wallet) {
  return isDeleted ? 'shared.deleted' : 'shared.active';
}

function sentFields({
  payload,
  refusedFields,
}: Pick<Callback, 'payload' | 'refusedFields'>): string[] {
  const { reservationId: _id, ...fields } = payload;
  const refused = (refusedFields ?? []).map(({ field, type, length }) =>
    length === null ? `${field}=•••••• (${type})` : `${field}=•••••• (${type} of ${length})`,
  );
  return [...Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`), ...refused];
}
