import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { RequestValidationPipe } from '../../core/http/validation/validation.pipe.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { MessagesService } from '../../core/localization/messages.service.js';
import { type CsvRow, readCsvRows } from '../../core/values/csv.js';
import { LedgerEntryDto, type ReconciliationResponseDto } from './reconciliation.dto.js';
import { ReconciliationsService } from './reconciliations.service.js';

export interface LedgerError {
  readonly line: number;
  readonly message: string;
}

export type FileOutcome =
  | { readonly errors: readonly LedgerError[]; readonly comparison?: never }
  | { readonly errors?: never; readonly comparison: ReconciliationResponseDto };

type Column = keyof LedgerEntryDto;

const required = ['reservationId', 'installmentId', 'chequeStatus'] satisfies Column[];
const names = [...required, 'chequeNumber', 'chequeAmount'] satisfies Column[];

const validation = new RequestValidationPipe();

/** Compares ledgers of any length in CSV files with the stored cheques (rule OPS-6). */
@Injectable()
export class LedgerFilesService {
  constructor(
    private readonly reconciliations: ReconciliationsService,
    private readonly messages: MessagesService,
  ) {}

  /** @throws Error when the text is no CSV or has other columns than the fields of an entry */
  async reconcile(
    organizationId: Types.ObjectId,
    text: string,
    complete: boolean,
  ): Promise<FileOutcome> {
    const cheques: LedgerEntryDto[] = [];
    const errors: LedgerError[] = [];
    for await (const { line, cells } of readCsvRows(Readable.from([text]), { names, required })) {
      try {
        cheques.push(await entryOf(cells));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        for (const message of error.messages) {
          errors.push({ line, message: this.messages.textOf(message, defaultLanguage) });
        }
      }
    }
    if (errors.length > 0) return { errors };
    const ledger = { cheques, complete };
    return { comparison: await this.reconciliations.compareOutOfRequest(organizationId, ledger) };
  }
}

async function entryOf({ chequeAmount, ...texts }: CsvRow['cells']): Promise<LedgerEntryDto> {
  const body =
    chequeAmount === undefined ? texts : { ...texts, chequeAmount: amountOf(chequeAmount) };
  const metadata = { type: 'body', metatype: LedgerEntryDto } as const;
  return (await validation.transform(body, metadata)) as LedgerEntryDto;
}

/** A number, or the text itself, which the rules then refuse. */
function amountOf(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}
