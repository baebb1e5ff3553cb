import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { defaultLanguage, type Language } from '../../core/localization/language.js';
import { mebibyte } from '../../core/values/numbers.js';
import {
  type ImportCounts,
  type ImportDocument,
  type ImportProgress,
  LeadImportsRepository,
} from './lead-imports.repository.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import type { LeadBatchResponseDto } from '../dto/lead.dto.js';
import { LeadBatchesService } from '../lead-batches.service.js';
import {
  isNdjson,
  type LeadRow,
  parseLead,
  readLeadFile,
  type RefusedRow,
  reportedRow,
  reportHeader,
} from './lead-file.js';

export { isNdjson, type RefusedRow };

/** Totals over all runs of an import; a dry run counts only itself. */
export interface ImportedLeads extends ImportCounts {
  readonly rows: number;
  readonly doneBefore: number;
}

export interface ImportOptions {
  readonly isDryRun: boolean;
  readonly isRestarted: boolean;
  /** Applies to project names and messages, as in a request. */
  readonly language?: Language;
  /** Called before anything is stored, with the first line of a report of refused rows. */
  readonly onBegin: (reportHeader: string, isContinued: boolean) => void;
  /** @param reported the row and the reason, as a report has them */
  readonly onRefused: (refused: RefusedRow, reported: string) => void;
  readonly progress: (done: number, total: number) => void;
}

/** `POST /leads/batch` has the same limit of rows. The bytes keep each batch within one transaction. */
const maxBatchRows = 100;
const maxBatchBytes = 2 * mebibyte;

@Injectable()
export class LeadImportsService {
  constructor(
    private readonly imports: LeadImportsRepository,
    private readonly batches: LeadBatchesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Continues where an earlier run stopped. Each batch stores the progress, so that no row counts twice.
   *
   * @throws Error when the file is unreadable or has no rows, or another process imports it
   */
  async import(
    organization: Organization,
    path: string,
    options: ImportOptions,
  ): Promise<ImportedLeads> {
    const { isDryRun, isRestarted, language, onBegin, onRefused, progress: report } = options;
    const { _id } = organization;
    const leadFile = await readLeadFile(path);
    const { fileHash, rows } = leadFile;
    const total = rows.at(-1)?.row;
    if (total === undefined) throw new Error('The file has no rows to import.');
    const file = { fileHash, total };
    const earlier = isRestarted ? null : await this.imports.find(_id, fileHash);
    onBegin(reportHeader(leadFile), (earlier?.done ?? 0) > 0);
    const record = isDryRun
      ? null
      : await this.imports.begin(_id, file, this.clock.now(), { isRestarted });
    const done = (record ?? earlier)?.done ?? 0;
    const doneBefore = rows.filter(({ row }) => row <= done).length;
    let soFar: ImportProgress = { state: 'running', done, ...countsOf(record) };
    const caller = importCaller(organization, language);
    report(Math.min(done, total), total);
    for (const batch of batchesOf(rows.slice(doneBefore))) {
      const { results, ...counts } = await this.send(caller, batch, soFar, record);
      for (const { index, errorCode: code, message = '' } of results) {
        const source = batch[index];
        if (code === undefined || source === undefined) continue;
        const { row, line } = source;
        const refused = { row, line, code, message: messageForLine(message) };
        onRefused(refused, reportedRow(leadFile, source, refused));
      }
      soFar = progressAfter(soFar, batch, counts, total);
      report(soFar.done, total);
    }
    return { rows: rows.length, doneBefore, ...countsOf(soFar) };
  }

  /** Sends one batch; without a record it is a dry run. */
  private send(
    caller: Caller,
    batch: readonly LeadRow[],
    soFar: ImportProgress,
    record: ImportDocument | null,
  ): Promise<LeadBatchResponseDto> {
    const body = { leads: batch.map(parseLead), dryRun: record === null };
    return this.batches.upsertAll(caller, body, async (stored, now) => {
      if (record === null) return;
      const progress = progressAfter(soFar, batch, stored, record.total);
      if (await this.imports.update(record, progress, now, soFar.done)) return;
      throw new Error(
        'Another process is already importing this file. Wait for it to finish, then run the command again.',
      );
    });
  }
}

function* batchesOf(rows: readonly LeadRow[]): Generator<LeadRow[], void> {
  let batch: LeadRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.json.length;
    if (batch.length === maxBatchRows || (batch.length > 0 && bytes > maxBatchBytes)) {
      yield batch;
      [batch, bytes] = [[], row.json.length];
    }
    batch.push(row);
  }
  if (batch.length > 0) yield batch;
}

function progressAfter(
  before: ImportProgress,
  batch: readonly LeadRow[],
  { created, updated, refused }: ImportCounts,
  total: number,
): ImportProgress {
  const done = batch.at(-1)?.row ?? before.done;
  return {
    state: done === total ? 'finished' : 'running',
    done,
    created: before.created + created,
    updated: before.updated + updated,
    refused: before.refused + refused,
  };
}

function countsOf(counts: ImportCounts | null): ImportCounts {
  const { created = 0, updated = 0, refused = 0 } = counts ?? {};
  return { created, updated, refused };
}

/** Replaces "The request body" in messages: an imported row is a line of a file. */
function messageForLine(message: string | readonly string[]): string {
  return [message].flat().join('; ').replaceAll('The request body', 'The line');
}

/** An import uses no API key, so it gets an unused id and no stored permissions. */
function importCaller(organization: Organization, language: Language = defaultLanguage): Caller {
  return {
    organizationId: organization._id,
    organization,
    apiKeyId: new Types.ObjectId(),
    permissionsJson: '',
    requestId: randomUUID(),
    language,
  };
}
