import { appendFileSync, closeSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { csvRows } from '../../../core/values/csv.js';
import {
  type ImportedLeads,
  LeadImportsService,
  type RefusedRow,
} from '../../../leads/import/lead-imports.service.js';
import { toOrganization } from '../../../tenants/organizations/organization.js';
import type { CommandContext } from '../command-line/context.js';
import type { ValuesOf } from '../command-line/declaration.js';
import { checkFile, reasonOf } from '../command-line/files.js';
import { withProgress } from '../command-line/progress.js';
import { type Columns, item, list, report, type Result } from '../command-line/result.js';
import type { leadCommands } from './lead-commands.js';

type ImportValues = ValuesOf<typeof leadCommands.import>;

const importTexts = {
  counted: 'rows done',
  remedy: 'Import the file again to continue.',
};

/** A file of the wrong kind has refused rows only. */
const maxPrintedRows = 1_000;

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

export async function importLeads(
  context: CommandContext,
  { file, org, dryRun: isDryRun, restart: isRestarted, language, report: reportPath }: ImportValues,
): Promise<Result> {
  const organization = toOrganization(await context.organization(org));
  await checkFile(file);
  if (reportPath !== undefined) await checkReport(file, reportPath);
  const refusals = reportPath === undefined ? null : openReport(reportPath);
  const refusedRows: RefusedRow[] = [];
  const onRefused = (row: RefusedRow) => {
    refusals?.write(row);
    if (refusedRows.length < maxPrintedRows) refusedRows.push(row);
  };
  const work = () =>
    withProgress(importTexts, (progress) =>
      context
        .get(LeadImportsService)
        .import(organization, file, { isDryRun, isRestarted, language, onRefused, progress }),
    );
  const to = { _id: organization._id };
  const importing = { action: 'import', subject: 'organization', to, details: 'leads' } as const;
  try {
    const outcome = isDryRun ? await work() : await context.logged(importing, work);
    const where =
      reportPath === undefined
        ? 'use --report <file> to keep the refused rows'
        : `see ${reportPath}`;
    return report(
      { dryRun: isDryRun, ...outcome, refusedRows },
      ...(refusedRows.length > 0 ? [list(refusedRows, refusedColumns), ''] : []),
      ...(outcome.refused > refusedRows.length
        ? [`Not all refused rows are listed (some are from earlier runs): ${where}.`]
        : []),
      ...(isDryRun ? ['Dry run, nothing stored. Would import:'] : []),
      item(outcome, countColumns),
    );
  } finally {
    refusals?.end();
  }
}

/** @throws Error when the refused rows would be appended to the imported file */
async function checkReport(file: string, path: string): Promise<void> {
  const [read, written] = await Promise.all([stat(file), stat(path).catch(() => null)]);
  if (written === null || written.dev !== read.dev || written.ino !== read.ino) return;
  throw new Error(`The report ${path} is the file that is imported: name another one.`);
}

/** Rows are written at once, so that an import ends with the first that cannot be. */
function openReport(path: string) {
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
