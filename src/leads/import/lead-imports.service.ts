import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Caller } from '../../tenants/keys/caller.js';
import { Clock } from '../../core/configuration/clock.js';
import { ErrorResponses } from '../../core/http/errors/error-responses.js';
import { RequestValidationPipe } from '../../core/http/validation/validation.pipe.js';
import { defaultLanguage, type Language } from '../../core/localization/language.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { mebibyte } from '../../core/values/numbers.js';
import { LeadBatchDto, type LeadBatchResponseDto } from '../batch/lead-batch.dto.js';
import { LeadBatchesService } from '../batch/lead-batches.service.js';
import { fileHashOf, type LeadRow, leadRows } from './lead-file.js';
import {
  type ImportCounts,
  type LeadImportDocument,
  LeadImportsRepository,
} from './lead-imports.repository.js';

/** A row that became no lead, and why. */
export interface RefusedRow {
  readonly row: number;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** What an import did in all its runs; a dry run what it would do. */
export interface ImportedLeads extends ImportCounts {
  /** How many rows the file has, and how many were done before this run. */
  readonly rows: number;
  readonly doneBefore: number;
}

export interface ImportOptions {
  readonly isDryRun: boolean;
  readonly isRestarted: boolean;
  /** As that of a request: in which projects are named, and messages given. */
  readonly language?: Language;
  readonly onRefused: (refused: RefusedRow) => void;
  readonly progress: (done: number, total: number) => void;
}

/** As many as a batch may have, and little enough for none to be too large together. */
const batchRows = 100;
const batchBytes = 2 * mebibyte;

const validation = new RequestValidationPipe();

/** Imports of files of leads (rule LEAD-16). */
@Injectable()
export class LeadImportsService {
  constructor(
    private readonly imports: LeadImportsRepository,
    private readonly batches: LeadBatchesService,
    private readonly errorResponses: ErrorResponses,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the leads of a file through batches, from where an earlier run of the same file has ended. How
   * far it has come is stored with each batch, so that no row counts twice, wherever it is cut short.
   *
   * @throws Error when the file cannot be read or has no rows, or another process imports it too
   */
  async import(
    organization: Organization,
    path: string,
    { isDryRun, isRestarted, language = defaultLanguage, onRefused, progress }: ImportOptions,
  ): Promise<ImportedLeads> {
    const fileHash = await fileHashOf(path);
    const begun = isRestarted ? null : await this.imports.find(organization._id, fileHash);
    let done = begun?.rows ?? 0;
    let [total, last, doneBefore] = [0, 0, 0];
    // Nothing is stored of a file that cannot be read to its end.
    for await (const { row } of leadRows(path)) {
      [total, last] = [total + 1, row];
      if (row <= done) doneBefore = total;
    }
    if (total === 0) throw new Error('There is nothing to import in the file.');
    const state = isDryRun ? null : await this.begin(organization._id, fileHash, isRestarted);
    const counts = isDryRun || begun === null ? noCounts() : countsOf(begun);
    const caller = callerOf(organization, language);
    progress(Math.min(done, last), last);
    for await (const rows of batchesOf(leadRows(path), done)) {
      const range = { from: done, to: rows.at(-1)?.row ?? done };
      const advance = async (of: ImportCounts, now?: Date) => this.advance(state, range, of, now);
      const outcome = await this.send(caller, rows, isDryRun, advance);
      for (const refused of outcome.refusedRows) onRefused(refused);
      counts.created += outcome.counts.created;
      counts.updated += outcome.counts.updated;
      counts.refused += outcome.counts.refused;
      done = range.to;
      progress(done, last);
    }
    return { rows: total, doneBefore, ...counts };
  }

  private async begin(
    organizationId: Types.ObjectId,
    fileHash: string,
    isRestarted: boolean,
  ): Promise<LeadImportDocument> {
    const state = await this.imports.findOrCreate(organizationId, fileHash, this.clock.now());
    if (isRestarted) await this.imports.restart(state, this.clock.now());
    return state;
  }

  private async advance(
    state: LeadImportDocument | null,
    range: { readonly from: number; readonly to: number },
    counts: ImportCounts,
    now = this.clock.now(),
  ): Promise<void> {
    if (state === null) return;
    if (await this.imports.advance(state, range, counts, now)) return;
    throw new Error('Another process imports the same file.');
  }

  /** One batch; rows that are no JSON are refused here, as a request of its own would be. */
  private async send(
    caller: Caller,
    rows: readonly LeadRow[],
    dryRun: boolean,
    advance: (counts: ImportCounts, now?: Date) => Promise<void>,
  ): Promise<{ readonly counts: ImportCounts; readonly refusedRows: readonly RefusedRow[] }> {
    const malformed = rows.flatMap((row) =>
      row.error === undefined ? [] : this.refusedAs(row, caller),
    );
    const sent = rows.filter(({ error }) => error === undefined);
    const countsIn = ({ created, updated, refused }: ImportCounts) => {
      return { created, updated, refused: refused + malformed.length };
    };
    if (sent.length === 0) {
      const counts = countsIn(noCounts());
      if (!dryRun) await advance(counts);
      return { counts, refusedRows: malformed };
    }
    const body = { leads: sent.map((row) => row.body), dryRun };
    const metadata = { type: 'body', metatype: LeadBatchDto } as const;
    const batch = (await validation.transform(body, metadata)) as LeadBatchDto;
    const response = await this.batches.upsert(caller, batch, (done, now) =>
      advance(countsIn(done), now),
    );
    const refusedRows = [...malformed, ...refusedIn(response, sent)];
    refusedRows.sort((one, other) => one.row - other.row);
    return { counts: countsIn(response), refusedRows };
  }

  private refusedAs({ row, line, error }: LeadRow, { language }: Caller): RefusedRow[] {
    if (error === undefined) return [];
    const { message } = this.errorResponses.of(error, language).body;
    return [{ row, line, code: error.definition.code, message: textOf(message) }];
  }
}

function noCounts(): { created: number; updated: number; refused: number } {
  return { created: 0, updated: 0, refused: 0 };
}

function countsOf({ created, updated, refused }: LeadImportDocument) {
  return { created, updated, refused };
}

/** Rows behind those that are done, as many as go together. */
async function* batchesOf(
  rows: AsyncIterable<LeadRow>,
  done: number,
): AsyncGenerator<LeadRow[], void> {
  let batch: LeadRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (row.row <= done) continue;
    if (batch.length === batchRows || (batch.length > 0 && bytes + row.bytes > batchBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += row.bytes;
  }
  if (batch.length > 0) yield batch;
}

function refusedIn(
  { results }: LeadBatchResponseDto,
  rows: readonly LeadRow[],
): readonly RefusedRow[] {
  return results.flatMap(({ index, errorCode: code, message = '' }) => {
    const { row = 0, line = 0 } = rows[index] ?? {};
    return code === undefined ? [] : { row, line, code, message: textOf(message) };
  });
}

/** Messages of a request, about the line that has its body. */
function textOf(message: string | readonly string[]): string {
  return [message].flat().join('; ').replaceAll('The request body', 'The line');
}

/** Nobody's key: the operator imports for the organization. */
function callerOf(organization: Organization, language: Language): Caller {
  return {
    organizationId: organization._id,
    organization,
    apiKeyId: new Types.ObjectId(),
    permissions: '',
    requestId: randomUUID(),
    language,
  };
}
