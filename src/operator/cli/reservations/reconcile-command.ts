import type { Command } from 'commander';
import type { FileOutcome } from '../../../reservations/reconciliation/reconciliations.service.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { readTextFile } from '../command-line/files.js';
import { name } from '../command-line/option-values.js';
import {
  type Columns,
  type OutputOptions,
  counted,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { organizationOf } from '../organizations/organization-view.js';

type Comparison = NonNullable<FileOutcome['comparison']>;
type LedgerError = NonNullable<FileOutcome['errors']>[number];
type Difference = Comparison['differences'][number];

interface ReconcileOptions extends OutputOptions {
  readonly org: string;
  readonly complete?: boolean;
  readonly csv?: boolean;
}

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

/** Adds `reservation reconcile`. */
export function addReconcile(group: Command): void {
  addPrintingCommand(group, {
    name: 'reconcile',
    description:
      "compare a partner's ledger of cheques (CSV with reservationId, installmentId, chequeStatus, " +
      'chequeNumber, chequeAmount) with what is stored; changes nothing',
    example: `reservation reconcile ledger.csv --org ${exampleId} --complete --csv`,
  })
    .argument('<file>', 'path of the CSV file')
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .option('--complete', 'list the cheques that the ledger does not mention too')
    .option('--csv', 'print the differences as CSV')
    .action((file: string, options: ReconcileOptions) =>
      withApplication(async (application) => {
        const { ReconciliationsService } =
          await import('../../../reservations/reconciliation/reconciliations.service.js');
        const { _id } = await organizationOf(application, options.org);
        const text = await readTextFile(file);
        const reconciliations = application.get(ReconciliationsService);
        const { complete = false } = options;
        const { errors, comparison } = await reconciliations.reconcileFile(_id, text, complete);
        if (comparison !== undefined) return print(comparison, options);
        printList(errors, errorColumns, options);
        throw new Error(`The file has ${counted(errors.length, 'error')}, nothing was compared.`);
      }),
    );
}

async function print(outcome: Comparison, options: ReconcileOptions): Promise<void> {
  if (options.json === true) return printJson(outcome);
  const findings = findingsOf(outcome);
  const columns = Object.entries(findingColumns);
  if (options.csv === true) {
    const { csvRows } = await import('../../../core/values/csv.js');
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
