import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  isNdjson,
  LeadImportsService,
  type RefusedRow,
} from '../../../leads/import/lead-imports.service.js';
import { toOrganization } from '../../../tenants/organizations/organization.js';
import type { CommandContext } from '../command-line/context.js';
import { checkFile, fileErrorReason } from '../command-line/files.js';
import { withProgress } from '../command-line/progress.js';
import { item, list, joinResults, type Result } from '../command-line/result.js';
import type { ImportOptions } from './lead-commands.js';

const importTexts = { counted: 'rows processed', remedy: 'Import the file again to continue.' };

/** Limits the output for a file of the wrong kind, in which every row is refused. */
const maxPrintedRows = 1_000;

export async function importLeads(
  context: CommandContext,
  file: string,
  { org, dryRun, restart, language, report: reportPath }: ImportOptions,
): Promise<Result> {
  const [isDryRun, isRestarted] = [dryRun === true, restart === true];
  const organization = toOrganization(await context.organization(org));
  await checkFile(file);
  if (reportPath !== undefined) await checkReport(file, reportPath);
  const refusedRows: RefusedRow[] = [];
  const onBegin = (header: string, isContinued: boolean) => {
    if (reportPath !== undefined) beginReport(reportPath, header, isContinued);
  };
  const onRefused = (refused: RefusedRow, reported: string) => {
    if (reportPath !== undefined) appendToReport(reportPath, reported);
    if (refusedRows.length < maxPrintedRows) refusedRows.push(refused);
  };
  const work = () =>
    withProgress(importTexts, (progress) =>
      context.get(LeadImportsService).import(organization, file, {
        isDryRun,
        isRestarted,
        language,
        onBegin,
        onRefused,
        progress,
      }),
    );
  const outcome = isDryRun ? await work() : await context.audit('leads.import', organization, work);
  const where = reportPath ? `see ${reportPath}` : 'use --report <file> to keep the refused rows';
  return joinResults(
    { dryRun: isDryRun, ...outcome, refusedRows },
    refusedRows.length > 0 && list(refusedRows),
    outcome.refused > refusedRows.length &&
      `Not all refused rows are listed (some are from earlier runs): ${where}.`,
    isDryRun && 'Dry run, nothing stored. Would import:',
    item(outcome),
  );
}

/** @throws Error if the report is not writable, cannot be imported, or is the file being imported */
async function checkReport(file: string, path: string): Promise<void> {
  if (isNdjson(file) !== isNdjson(path)) {
    const ending = isNdjson(file) ? '.ndjson or .jsonl' : '.csv';
    throw new Error(`--report must end with ${ending}, like the file being imported.`);
  }
  appendToReport(path, '');
  const [read, written] = await Promise.all([stat(file), stat(path)]);
  if (written.dev !== read.dev || written.ino !== read.ino) return;
  throw new Error(`--report must not be the file being imported (${path}): choose another path.`);
}

/**
 * A person imports the report after correcting it, so it must not contain a row twice.
 *
 * @throws Error if the file has rows of another import
 */
function beginReport(path: string, header: string, isContinued: boolean): void {
  // A device has no size, and may have no end.
  if (statSync(path).size === 0) return appendToReport(path, header);
  const stored = readFileSync(path, 'utf8');
  const fits = isContinued ? stored.startsWith(header) : stored === header;
  if (fits) return;
  throw new Error(
    `The report ${path} has rows of another import: delete it, or choose another path.`,
  );
}

/** @throws Error that stops an import at the first refused row that cannot be reported */
function appendToReport(path: string, text: string): void {
  try {
    appendFileSync(path, text);
  } catch (cause) {
    throw new Error(`The report ${path} cannot be written: ${fileErrorReason(cause)}.`, { cause });
  }
}
