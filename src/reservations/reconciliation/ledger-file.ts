import { Readable } from 'node:stream';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { RequestValidationPipe } from '../../core/http/validation/validation.pipe.js';
import type { Message } from '../../core/localization/messages.service.js';
import { LedgerEntryDto } from './reconciliation.dto.js';
import { type CsvRow, readCsvRows } from '../../core/values/csv.js';

/** A line of the file that cannot be compared, and why. */
export interface LedgerError {
  readonly line: number;
  readonly message: string;
}

type Column = keyof LedgerEntryDto;

const required = ['reservationId', 'installmentId', 'chequeStatus'] satisfies Column[];
const names = [...required, 'chequeNumber', 'chequeAmount'] satisfies Column[];

const validation = new RequestValidationPipe();

/**
 * Reads a partner's ledger from CSV with a header line: the columns are the fields of an entry of
 * `POST /reservations/reconciliation`, in any order; an empty cell is a field that is not sent.
 *
 * @param textOf the text of what is wrong
 * @returns the entries, and what is wrong with rows
 * @throws Error when the text is no CSV, or lacks a column or has one that is not known
 */
export async function readLedger(
  text: string,
  textOf: (message: Message) => string,
): Promise<{ readonly entries: LedgerEntryDto[]; readonly errors: LedgerError[] }> {
  const entries: LedgerEntryDto[] = [];
  const errors: LedgerError[] = [];
  for await (const { line, cells } of readCsvRows(Readable.from([text]), { names, required })) {
    try {
      entries.push(await entryOf(cells));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const messages = error.messages.map(textOf);
      errors.push(...messages.map((message) => ({ line, message })));
    }
  }
  return { entries, errors };
}

async function entryOf({ chequeAmount, ...texts }: CsvRow['cells']): Promise<LedgerEntryDto> {
  const body =
    chequeAmount === undefined ? texts : { ...texts, chequeAmount: amountOf(chequeAmount) };
  return (await validation.transform(body, {
    type: 'body',
    metatype: LedgerEntryDto,
  })) as LedgerEntryDto;
}

/** A number, or the text itself, which the rules then refuse. */
function amountOf(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}
