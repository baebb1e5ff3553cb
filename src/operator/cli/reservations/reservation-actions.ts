import { Types } from 'mongoose';
import { csvRows } from '../../../core/values/csv.js';
import { ReservationHistoryService } from '../../../reservations/reading/reservation-history.service.js';
import { ReservationsService } from '../../../reservations/reading/reservations.service.js';
import {
  type FileOutcome,
  LedgerFilesService,
} from '../../../reservations/reconciliation/ledger-files.service.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import {
  callbackListFields,
  chequeFields,
  chequesOf,
  reportFields,
  reportsOf,
  reservationFields,
} from '../../views/reservation.js';
import type { ActionsOf, ValuesOf } from '../command-line/declaration.js';
import { readTextFile } from '../command-line/files.js';
import {
  type Columns,
  counted,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { organizationOf } from '../organizations/organization-view.js';
import type { reservationCommands } from './reservation-commands.js';

type Comparison = NonNullable<FileOutcome['comparison']>;
type LedgerError = NonNullable<FileOutcome['errors']>[number];
type Difference = Comparison['differences'][number];
type ReconcileOptions = ValuesOf<typeof reservationCommands.reconcile>;

/** A difference, or a cheque that the ledger does not mention. */
type Finding = Omit<Difference, 'index' | 'kind' | 'theirs'> & {
  readonly index: number | null;
  readonly kind: Difference['kind'] | 'unmentioned';
  readonly theirs: Difference['theirs'] | null;
};

const findingColumns = {
  Entry: ({ index }: Finding) => (index === null ? null : index + 1),
  Reservation: ({ reservationId }: Finding) => reservationId,
  Installment: ({ installmentId }: Finding) => installmentId,
  Difference: ({ kind }: Finding) => kind,
  Ours: ({ ours }: Finding) => ours,
  Theirs: ({ theirs }: Finding) => theirs,
} satisfies Columns<Finding>;

const errorColumns: Columns<LedgerError> = {
  Line: ({ line }) => line,
  Error: ({ message }) => message,
};

export const actions: ActionsOf<typeof reservationCommands> = {
  show: async (application, { id, ...output }) => {
    const organizations = await application.get(OrganizationsRepository).listAllIds();
    const reservation = await application
      .get(ReservationsService)
      .inspect(organizations, new Types.ObjectId(id));
    if (reservation === null) throw new Error(`There is no reservation with id ${id}.`);
    if (output.json === true) return printJson(reservation);
    printItem(reservation, reservationFields, output);
    printLine('');
    printList(chequesOf(reservation), chequeFields, output);
    printLine('');
    printList(reportsOf(reservation), reportFields, output);
  },

  callbacks: async (application, { id, limit, ...output }) => {
    const organizations = await application.get(OrganizationsRepository).listAllIds();
    const callbacks = await application
      .get(ReservationHistoryService)
      .callbacks(organizations, new Types.ObjectId(id), limit);
    printList(callbacks, callbackListFields, output);
  },

  reconcile: async (application, options) => {
    const { _id } = await organizationOf(application, options.org);
    const text = await readTextFile(options.file);
    const { errors, comparison } = await application
      .get(LedgerFilesService)
      .reconcile(_id, text, options.complete);
    if (comparison !== undefined) return print(comparison, options);
    printList(errors, errorColumns, options);
    throw new Error(`The file has ${counted(errors.length, 'error')}, nothing was compared.`);
  },
};

function print(outcome: Comparison, options: ReconcileOptions): void {
  if (options.json === true) return printJson(outcome);
  const findings = findingsOf(outcome);
  const columns = Object.entries(findingColumns);
  if (options.csv) {
    const titles = columns.map(([title]) => title);
    const rows = findings.map((finding) => columns.map(([, value]) => value(finding) ?? ''));
    process.stdout.write(csvRows([titles, ...rows]));
    return;
  }
  const { compared, matching, hasMore = false } = outcome;
  const entries = counted(compared, 'entry', 'entries');
  const matches = `${matching} ${matching === 1 ? 'matches' : 'match'}`;
  printLine(`${entries} compared, ${matches}, ${counted(findings.length, 'finding')}.`);
  if (hasMore) printLine('More cheques are unmentioned than are listed.');
  if (findings.length > 0) printList(findings, findingColumns, options);
}

function findingsOf({ differences, unmentioned = [] }: Comparison): Finding[] {
  const kind = 'unmentioned';
  return [
    ...differences,
    ...unmentioned.map(({ status, ...place }) => {
      return { ...place, index: null, kind, ours: status, theirs: null } as const;
    }),
  ];
}
