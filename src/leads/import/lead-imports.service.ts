import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Caller } from '../../tenants/keys/caller.js';
import { Clock } from '../../core/configuration/clock.js';
import type { DomainError } from '../../core/http/errors/domain-error.js';
import { instantiate } from '../../core/http/validation/field.js';
import { defaultLanguage, type Language } from '../../core/localization/language.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { isPlainObject } from '../../core/values/plain-object.js';
import { mebibyte } from '../../core/values/numbers.js';
import { UpsertLeadDto } from '../dto/upsert-lead.dto.js';
import { LeadsService } from '../leads.service.js';
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

/** Imports of files of leads (rule LEAD-16). */
@Injectable()
export class LeadImportsService {
  constructor(
    private readonly imports: LeadImportsRepository,
    private readonly leads: LeadsService,
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
      const response = await this.leads.upsertAll(
        caller,
        { leads: rows.map(leadOf), dryRun: isDryRun },
        (stored, now) => this.advance(state, range, countsOf(stored), now),
      );
      for (const { index, errorCode: code, message = '' } of response.results) {
        const { row = 0, line = 0 } = rows[index] ?? {};
        if (code !== undefined) onRefused({ row, line, code, message: textOf(message) });
      }
      counts.created += response.created;
      counts.updated += response.updated;
      counts.refused += response.refused;
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
    now: Date,
  ): Promise<void> {
    if (state === null) return;
    if (await this.imports.advance(state, range, counts, now)) return;
    throw new Error('Another process imports the same file.');
  }
}

function noCounts(): { created: number; updated: number; refused: number } {
  return { created: 0, updated: 0, refused: 0 };
}

function countsOf({ created, updated, refused }: ImportCounts) {
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

function leadOf({ body, error }: LeadRow): UpsertLeadDto | DomainError | null {
  if (error !== undefined) return error;
  return isPlainObject(body) ? instantiate(UpsertLeadDto, body) : null;
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
