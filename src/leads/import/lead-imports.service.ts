import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { DtoReading } from '../../core/http/validation/dto-reading.js';
import { defaultLanguage, type Language } from '../../core/localization/language.js';
import { mebibyte } from '../../core/values/numbers.js';
import { isPlainObject } from '../../core/values/json.js';
import {
  type ImportCounts,
  type ImportDocument,
  type ImportProgress,
  ImportsService,
} from '../../tenants/imports/imports.service.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import type { LeadBatchResponseDto } from '../dto/lead.dto.js';
import { UpsertLeadDto } from '../dto/upsert-lead.dto.js';
import { LeadsService } from '../leads.service.js';
import { fileHashOf, type LeadRow, leadRows } from './lead-file.js';

export interface RefusedRow {
  readonly row: number;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** The counts of all runs of an import; in a dry run of this one. */
export interface ImportedLeads extends ImportCounts {
  readonly rows: number;
  readonly doneBefore: number;
}

export interface ImportOptions {
  readonly isDryRun: boolean;
  readonly isRestarted: boolean;
  /** Of project names and messages, as of a request. */
  readonly language?: Language;
  readonly onRefused: (refused: RefusedRow) => void;
  readonly progress: (done: number, total: number) => void;
}

/** As many as a batch may have, and small enough that none is too large for a transaction. */
const maxBatchRows = 100;
const maxBatchBytes = 2 * mebibyte;

@Injectable()
export class LeadImportsService {
  constructor(
    private readonly imports: ImportsService,
    private readonly leads: LeadsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Continues where an earlier run ended. Each batch stores the progress, so that no row counts twice.
   *
   * @throws Error when the file cannot be read or has no rows, or another process imports it
   */
  async import(
    organization: Organization,
    path: string,
    options: ImportOptions,
  ): Promise<ImportedLeads> {
    const { _id } = organization;
    const fileHash = await fileHashOf(path);
    const earlier = options.isRestarted ? null : await this.imports.find(_id, fileHash);
    const done = earlier?.done ?? 0;
    // Reads to the end before anything is stored, in case the file is broken.
    const { rows, total, doneBefore } = await countRows(path, done);
    if (rows === 0) throw new Error('The file has no rows to import.');
    const file = { kind: 'leads', fileHash, total } as const;
    const record = options.isDryRun
      ? null
      : await this.imports.begin(_id, file, this.clock.now(), options);
    let soFar: ImportProgress = { state: 'running', ...countsOf(record && earlier), done };
    const caller = callerOf(organization, options.language);
    options.progress(Math.min(done, total), total);
    for await (const batch of batchesOf(leadRows(path), done)) {
      const { results, ...counts } = await this.send(caller, batch, soFar, record);
      for (const { index, errorCode: code, message = '' } of results) {
        const { row = 0, line = 0 } = batch[index] ?? {};
        if (code !== undefined) options.onRefused({ row, line, code, message: textOf(message) });
      }
      soFar = progressAfter(soFar, batch, counts, total);
      options.progress(soFar.done, total);
    }
    return { rows, doneBefore, ...countsOf(soFar) };
  }

  /** Sends one batch; without a record it is a dry run. */
  private send(
    caller: Caller,
    batch: readonly LeadRow[],
    soFar: ImportProgress,
    record: ImportDocument | null,
  ): Promise<LeadBatchResponseDto> {
    const leads = batch.map(({ body, error }) => {
      if (error !== undefined) return error;
      return isPlainObject(body) ? new DtoReading(UpsertLeadDto, body).dto : null;
    });
    return this.leads.upsertAll(caller, { leads, dryRun: record === null }, async (stored, now) => {
      if (record === null) return;
      const progress = progressAfter(soFar, batch, stored, record.total);
      if (await this.imports.update(record, progress, now, soFar.done)) return;
      throw new Error('Another process imports the same file. Wait until it has finished.');
    });
  }
}

/** Counts the rows of a file; the number of the last one counts blank rows too. */
async function countRows(path: string, done: number) {
  let [rows, total, doneBefore] = [0, 0, 0];
  for await (const { row } of leadRows(path)) {
    [rows, total] = [rows + 1, row];
    if (row <= done) doneBefore = rows;
  }
  return { rows, total, doneBefore };
}

async function* batchesOf(
  rows: AsyncIterable<LeadRow>,
  done: number,
): AsyncGenerator<LeadRow[], void> {
  let batch: LeadRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (row.row <= done) continue;
    if (batch.length === maxBatchRows || (batch.length > 0 && bytes + row.bytes > maxBatchBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += row.bytes;
  }
  if (batch.length > 0) yield batch;
}

function progressAfter(
  { done: before, ...soFar }: ImportProgress,
  batch: readonly LeadRow[],
  { created, updated, refused }: ImportCounts,
  total: number,
): ImportProgress {
  const done = batch.at(-1)?.row ?? before;
  return {
    state: done === total ? 'finished' : 'running',
    done,
    created: soFar.created + created,
    updated: soFar.updated + updated,
    refused: soFar.refused + refused,
  };
}

function countsOf(counts: ImportCounts | null): ImportCounts {
  const { created = 0, updated = 0, refused = 0 } = counts ?? {};
  return { created, updated, refused };
}

/** Messages of a request apply to the line that has its body. */
function textOf(message: string | readonly string[]): string {
  return [message].flat().join('; ').replaceAll('The request body', 'The line');
}

/** The operator imports for the organization, with no key. */
function callerOf(organization: Organization, language: Language = defaultLanguage): Caller {
  return {
    organizationId: organization._id,
    organization,
    apiKeyId: new Types.ObjectId(),
    permissions: '',
    requestId: randomUUID(),
    language,
  };
}
