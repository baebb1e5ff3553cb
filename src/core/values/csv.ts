import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';

export type CsvCell = string | number | boolean;

/** What some program takes for the end of a line; RFC 4180 knows the first two. */
const lineBreak = /[\r\n\v\f\u{85}\u{2028}\u{2029}]/u;

/** Where a spreadsheet, also one with another delimiter or without quoted line breaks, would begin a formula. */
const formula = new RegExp(
  `(^|[;,\\t]|${lineBreak.source})(?=[=+@\\-\\t\\r\u{FF1D}\u{FF0B}\u{FF20}\u{FF0D}])`,
  'gu',
);

/** Rows as CSV (RFC 4180), in which no text can begin a formula. */
export function csvRows(rows: readonly (readonly CsvCell[])[]): string {
  return stringify([...rows], {
    record_delimiter: 'windows',
    // Otherwise it quotes for the delimiter alone, and a bare line break would end the row.
    quoted_match: lineBreak,
    cast: { boolean: String, string: (text) => text.replace(formula, "$1'") },
  });
}

/** The columns that a CSV file may have, as its header line names them. */
interface KnownColumns {
  /** As a message lists them. */
  readonly names: readonly string[];
  readonly required?: readonly string[];
  readonly isKnown?: (name: string) => boolean;
}

/** A row of a CSV file, from 1 on, and the line on which it ends. */
export interface CsvRow {
  readonly row: number;
  readonly line: number;
  /** The cells that are not empty, by their columns: an empty one is a field that is not sent. */
  readonly cells: Readonly<Record<string, string>>;
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/**
 * Reads CSV with a header line, columns in any order. Blank rows are counted and left out: spreadsheets leave
 * them after the others.
 *
 * @throws Error when it is no CSV, or has unknown columns or lacks required ones
 */
export async function* readCsvRows(
  source: Readable,
  known: KnownColumns,
): AsyncGenerator<CsvRow, void> {
  const columns = (header: string[]) => checkedColumns(header, known);
  const parser = source.pipe(parse({ bom: true, columns, info: true, skip_empty_lines: true }));
  let row = 0;
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    row += 1;
    const cells = Object.entries(record).filter(([, cell]) => cell !== '');
    if (cells.every(([, cell]) => cell.trim() === '')) continue;
    yield { row, line: info.lines, cells: Object.fromEntries(cells) };
  }
}

/** @throws Error that says once which columns are not known, and which are missing */
function checkedColumns(
  columns: string[],
  { names, required = [], isKnown = (name) => names.includes(name) }: KnownColumns,
): string[] {
  const unknown = columns.filter((name) => !isKnown(name));
  const missing = required.filter((name) => !columns.includes(name));
  const faults = [
    ...(unknown.length === 0
      ? []
      : [`The columns ${unknown.join(', ')} are not known, but ${names.join(', ')}.`]),
    ...(missing.length === 0 ? [] : [`The columns ${missing.join(', ')} are missing.`]),
    ...(/[;\t]/.test(unknown.join()) ? ['Commas are expected between columns.'] : []),
  ];
  if (faults.length > 0) throw new Error(faults.join(' '));
  return columns;
}
