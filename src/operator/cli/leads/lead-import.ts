import { appendFileSync, closeSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { csvRows } from '../../../core/values/csv.js';
import {
  type ImportedLeads,
  LeadImportsService,
  type RefusedRow,
} from '../../../leads/import/lead-imports.service.js';
import { toOrganization } from '../../../tenants/organizations/organization.js';
import type { ValuesOf } from '../command-line/declaration.js';
import { checkFile, reasonOf } from '../command-line/files.js';
import { logged } from '../command-line/logged.js';
import {
  type Columns,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';
import { organizationOf } from '../organizations/organization-view.js';
import type { leadCommands } from './lead-commands.js';

type ImportOptions = ValuesOf<typeof leadCommands.import>;

const importTexts = {
  counted: 'rows done',
  remedy: 'Import the file again to go on from there.',
};

/** So many refused rows are printed; a file of the wrong kind has nothing else. */
const mostPrinted = 1_000;

const countColumns: Columns<ImportedLeads> = {
  Rows: ({ rows }) => rows,
  'Done before': ({ doneBefore }) => doneBefore,
  Created: ({ created }) => created,
  Updated: ({ updated }) => updated,
  Refused: ({ refused }) => refused,
};

const refusedColumns = {
  Row: ({ row }: RefusedRow) => row,
  Line: ({ line }: RefusedRow) => line,
  Code: ({ code }: RefusedRow) => code,
  Message: ({ message }: RefusedRow) => message,
} satisfies Columns<RefusedRow>;

/** The action of `lead import`. */
export async function importLeads(
  application: INestApplicationContext,
  options: ImportOptions,
): Promise<void> {
  const { file, dryRun: isDryRun, restart: isRestarted, language, report: reportPath } = options;
  const organization = toOrganization(await organizationOf(application, options.org));
  await checkFile(file);
  if (reportPath !== undefined) await checkReport(file, reportPath);
  const report = reportPath === undefined ? null : reportTo(reportPath);
  const printed: RefusedRow[] = [];
  const onRefused = (row: RefusedRow) => {
    report?.write(row);
    if (printed.length < mostPrinted) printed.push(row);
  };
  const work = () =>
    withProgress(importTexts, (progress) =>
      application
        .get(LeadImportsService)
        .import(organization, file, { isDryRun, isRestarted, language, onRefused, progress }),
    );
  const { _id } = organization;
  const to = { _id, organizationId: _id };
  const importing = { action: 'import', subject: 'organization', to, details: 'leads' } as const;
  try {
    const outcome = isDryRun ? await work() : await logged(application, importing, work);
    print(outcome, printed, options);
  } finally {
    report?.end();
  }
}

/** @throws Error where the refused rows would be written behind those that are imported */
async function checkReport(file: string, report: string): Promise<void> {
  const [read, written] = await Promise.all([stat(file), stat(report).catch(() => null)]);
  if (written === null || written.dev !== read.dev || written.ino !== read.ino) return;
  throw new Error(`The report ${report} is the file that is imported: name another one.`);
}

/** Refused rows are written at once, so that an import ends with the first that is not. */
function reportTo(path: string) {
  const values = Object.values(refusedColumns);
  const attempt = <T>(write: () => T): T => {
    try {
      return write();
    } catch (cause) {
      throw new Error(`The report ${path} cannot be written: ${reasonOf(cause)}.`, { cause });
    }
  };
  const file = attempt(() => openSync(path, 'a'));
  return {
    write: (row: RefusedRow) =>
      attempt(() => appendFileSync(file, csvRows([values.map((value) => value(row))]))),
    end: () => closeSync(file),
  };
}

function print(
  outcome: ImportedLeads,
  refusedRows: readonly RefusedRow[],
  options: ImportOptions,
): void {
  const { dryRun, json } = options;
  if (json === true) return printJson({ dryRun, ...outcome, refusedRows });
  if (refusedRows.length > 0) {
    printList(refusedRows, refusedColumns, {});
    printLine('');
  }
  if (outcome.refused > refusedRows.length) {
    const { report } = options;
    const where = report === undefined ? '--report <file> keeps those of a run' : `see ${report}`;
    printLine(`More were refused, now or in earlier runs, than are listed: ${where}.`);
  }
  if (dryRun) printLine('Nothing was stored. It would be:');
  printItem(outcome, countColumns, options);
}
