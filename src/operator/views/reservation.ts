import type {
  FoundReservation,
  ReservationDetails,
  ReservationOverview,
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
  field('code', 'Reservation', '_id', { record: 'reservation' }),
  externalIdField,
  statusField,
  field('code', 'Unit', 'unitId', { record: 'unit' }),
  createdAtField,
  updatedAtField,
];

/** External ids often begin alike. */
const cutMiddle = { cut: 'middle' } as const;

/** A person recognizes a record by its external id. */
export const reservationOverviewFields: readonly ViewField<ReservationOverview>[] = [
  idField,
  field('text', 'External ID', 'recordSystemId', cutMiddle),
  statusField,
  field('text', 'Unit', ({ unit }) => unit?.slug ?? unit?.recordSystemId ?? unit?._id, cutMiddle),
  field('text', 'Lead', ({ lead }) => lead?.recordSystemId ?? lead?.number ?? lead?._id, cutMiddle),
  field('code', 'Cheques', ({ cheques }) => cheques && `${cheques.collected} of ${cheques.total}`),
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
  field('code', 'Unit', ({ unitId, unit }) => unit?.slug ?? unitId, {
    to: ({ organizationId, unitId }) => recordPath('unit', organizationId, unitId ?? null),
  }),
  field('text', 'Unit status', ({ unit }) => unit?.status, {
    note: ({ unit }) => {
      if (unit === null) return 'missing';
      return unit.isDeleted ? 'deleted' : null;
    },
  }),
  field('code', 'Lead', ({ leadId, leadNumber = null }) => leadNumber ?? leadId, {
    to: ({ organizationId, leadId }) => recordPath('lead', organizationId, leadId ?? null),
  }),
  field('status', 'Partner collection', ({ partnerCollection }) =>
    partnerCollection.isActive ? 'active' : 'inactive',
  ),
  field('status', 'Wallet', ({ wallets: [wallet] }) =>
    wallet === undefined ? 'none' : walletState(wallet),
  ),
  field('time', 'Wallet deleted', ({ wallets: [wallet] }) => wallet?.deletedAt),
  field('time', 'Approved', 'approvedAt'),
  field('time', 'Canceled', 'canceledAt'),
  createdAtField,
  updatedAtField,
];

const installment: ViewField<{ readonly installmentId: string }> = field(
  'code',
  'Installment',
  'installmentId',
);

const chequeState: readonly ViewField<Pick<Report, 'status' | 'chequeNumber' | 'chequeAmount'>>[] =
  [
    field('code', 'Cheque', 'status'),
    field('code', 'Number', 'chequeNumber'),
    field('number', 'Amount', 'chequeAmount'),
  ];

export const chequeFields: readonly ViewField<Cheque>[] = [
  installment,
  ...chequeState,
  field('day', 'Due', 'dueDate'),
  field('status', 'Wallet', ({ wallet }) => walletState(wallet)),
  field('time', 'Wallet deleted', ({ wallet }) => wallet.deletedAt),
];

export const reportFields: readonly ViewField<Report>[] = [
  field('time', 'Reported', 'changedAt'),
  installment,
  ...chequeState,
  field('text', 'Source', 'source'),
];

type Callback = Pick<
  CallbackEntry,
  'payload' | 'refusedFields' | 'otherFields' | 'outcome' | 'requestId'
>;

export const callbackFields = {
  sent: field('code', 'Sent', (item) => sentFields(item).join(' ')),
  otherFields: field('number', 'Other fields', 'otherFields'),
  why: field('text', 'Reason', ({ outcome }) => outcome.messages),
  request: requestIdField,
} as const satisfies Readonly<Record<string, ViewField<Callback>>>;

/** The reader adds the names. */
type NamedCallback = CallbackEntry & {
  readonly organizationName: string;
  readonly keyName: string;
};

export const callbackListFields: readonly ViewField<NamedCallback>[] = [
  field('time', 'Received', 'receivedAt'),
  field('number', 'Response', ({ outcome }) => outcome.status),
  field('code', 'Reservation', ({ outcome }) => outcome.reservation),
  field('code', 'Cheque', ({ outcome }) => outcome.cheque),
  callbackFields.why,
  { ...callbackFields.sent, kind: 'text' },
  field('text', 'Organization', 'organizationName'),
  field('text', 'Key', 'keyName'),
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
  return isDeleted ? 'deleted' : 'active';
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
