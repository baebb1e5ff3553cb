import { parse } from 'csv-parse/sync';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { RequestValidationPipe } from '../../core/http/validation/validation.pipe.js';
import type { Message } from '../../core/localization/messages.service.js';
import { LedgerEntryDto } from './reconciliation.dto.js';
import { checkedColumns } from '../../core/values/csv.js';
import { withoutUndefined } from '../../core/values/plain-object.js';

/** A line of the file that cannot be compared, and why. */
export interface LedgerError {
  readonly line: number;
  readonly message: string;
}

type Column = keyof LedgerEntryDto;

/** A row of the file, with the line on which it ends. */
interface Row {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

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
  const options = { bom: true, columns: columnsOf, info: true, skip_empty_lines: true } as const;
  // Spreadsheets leave rows without any text behind what is in them.
  const rows = parse(text, { ...options, skip_records_with_empty_values: true });
  const entries: LedgerEntryDto[] = [];
  const errors: LedgerError[] = [];
  for (const { record, info } of rows as unknown as Row[]) {
    try {
      entries.push(await entryOf(record));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const messages = error.messages.map(textOf);
      errors.push(...messages.map((message) => ({ line: info.lines, message })));
    }
  }
  return { entries, errors };
}

function columnsOf(header: string[]): string[] {
  return checkedColumns(header, { names, required });
}

async function entryOf(record: Row['record']): Promise<LedgerEntryDto> {
  const cells = Object.entries(record).map(([name, cell]) => [
    name,
    cell === '' ? undefined : cell,
  ]);
  const sent = withoutUndefined(Object.fromEntries(cells) as Record<string, string | undefined>);
  const { chequeAmount, ...texts } = sent;
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
