import { appendFileSync, closeSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ImportedLeads, RefusedRow } from '../../../leads/import/lead-imports.service.js';
import { defaultLanguage, type Language } from '../../../core/localization/language.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { checkFile, reasonOf } from '../command-line/files.js';
import { logged } from '../command-line/logged.js';
import { language, name } from '../command-line/option-values.js';
import {
  type Columns,
  type OutputOptions,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';
import { organizationOf } from '../organizations/organization-view.js';

interface ImportOptions extends OutputOptions {
  readonly org: string;
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly report?: string;
  readonly language: Language;
}

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

/** Adds `lead import`. */
export function addImport(group: Command): void {
  addPrintingCommand(group, {
    name: 'import',
    description:
      'create or update the leads of a CSV or NDJSON file, as POST /leads would; importing the same ' +
      'file again goes on where it was cut short',
    example: `lead import leads.csv --org ${exampleId} --report refused.csv`,
  })
    .argument('<file>', 'path of the file; NDJSON where it ends with .ndjson or .jsonl')
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .option('--dry-run', 'only tell what each batch of a hundred would do now')
    .option('--restart', 'begin with the first row, though the file was imported before')
    .option(
      '--report <file>',
      'write every refused row to a CSV file, behind those of earlier runs',
    )
    .option(
      '--language <code>',
      'language of project names and messages, as of a request: en-us or ar-eg',
      language,
      defaultLanguage,
    )
    .action(importFile);
}

async function importFile(file: string, options: ImportOptions): Promise<void> {
  return withApplication(async (application) => {
    const { LeadImportsService } = await import('../../../leads/import/lead-imports.service.js');
    const { toOrganization } = await import('../../../tenants/organizations/organization.js');
    const organization = toOrganization(await organizationOf(application, options.org));
    const { dryRun: isDryRun = false, restart: isRestarted = false } = options;
    await checkFile(file);
    if (options.report !== undefined) await checkReport(file, options.report);
    const report = options.report === undefined ? null : await reportTo(options.report);
    const printed: RefusedRow[] = [];
    const onRefused = (row: RefusedRow) => {
      report?.write(row);
      if (printed.length < mostPrinted) printed.push(row);
    };
    try {
      const imports = application.get(LeadImportsService);
      const work = () =>
        withProgress(importTexts, (progress) =>
          imports.import(organization, file, {
            isDryRun,
            isRestarted,
            language: options.language,
            onRefused,
            progress,
          }),
        );
      const { _id } = organization;
      const to = { _id, organizationId: _id };
      const importing = { action: 'import', subject: 'organization', to } as const;
      const outcome = isDryRun ? await work() : await logged(application, importing, work);
      print(outcome, printed, options);
    } finally {
      report?.end();
    }
  });
}

/** @throws Error where the refused rows would be written behind those that are imported */
async function checkReport(file: string, report: string): Promise<void> {
  const [read, written] = await Promise.all([stat(file), stat(report).catch(() => null)]);
  if (written === null || written.dev !== read.dev || written.ino !== read.ino) return;
  throw new Error(`The report ${report} is the file that is imported: name another one.`);
}

/** Refused rows are written at once, so that an import ends with the first that is not. */
async function reportTo(path: string) {
  const { csvRows } = await import('../../../core/values/csv.js');
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
  const { dryRun = false, json } = options;
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
