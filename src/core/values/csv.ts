import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

export type CsvCell = string | number | boolean;

/** RFC 4180 defines the first two; some programs also break lines at the others. */
const lineBreak = /[\r\n\v\f\u{85}\u{2028}\u{2029}]/u;

/** Recognizes the start of a formula, also for other delimiters and unquoted line breaks. */
const formula = new RegExp(
  `(^|[;,\\t]|${lineBreak.source})(?=[=+@\\-\\t\\r\u{FF1D}\u{FF0B}\u{FF20}\u{FF0D}])`,
  'gu',
);

/** Writes RFC 4180 and neutralizes formulas. */
export function csvRows(rows: readonly (readonly CsvCell[])[]): string {
  return stringify([...rows], {
    record_delimiter: 'windows',
    // By default the library quotes only the delimiter; a bare line break would end the row.
    quoted_match: lineBreak,
    cast: { boolean: String, string: (text) => text.replace(formula, "$1'") },
  });
}

interface KnownColumns {
  readonly names: readonly string[];
  readonly required?: readonly string[];
  readonly isKnown?: (name: string) => boolean;
}

export interface CsvRow {
  /** The first row is 1. */
  readonly row: number;
  /** The last line of the row. */
  readonly line: number;
  /** Omits empty cells, which stand for unsent fields. */
  readonly cells: Readonly<Record<string, string>>;
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/**
 * Requires a header line; columns may be in any order. Skips blank rows, which spreadsheets append.
 *
 * @throws Error for invalid CSV, unknown or missing columns
 */
export function readCsvRows(text: string | Buffer, known: KnownColumns): CsvRow[] {
  const columns = (header: string[]) => checkedColumns(header, known);
  const options = { bom: true, columns, info: true, skip_empty_lines: true } as const;
  const records = parse(text, options) as unknown as readonly CsvRecord[];
  return records.flatMap(({ record, info }, index) => {
    const cells = Object.entries(record).filter(([, cell]) => cell !== '');
    if (cells.every(([, cell]) => cell.trim() === '')) return [];
    return { row: index + 1, line: info.lines, cells: Object.fromEntries(cells) };
  });
}

function checkedColumns(
  columns: string[],
  { names, required = [], isKnown = (name) => names.includes(name) }: KnownColumns,
): string[] {
  const unknown = columns.filter((name) => !isKnown(name));
  const missing = required.filter((name) => !columns.includes(name));
  const faults = [
    unknown.length > 0 && `Unknown columns: ${unknown.join(', ')}. Known are ${names.join(', ')}.`,
    missing.length > 0 && `Missing columns: ${missing.join(', ')}.`,
    /[;\t]/.test(unknown.join()) && 'Separate columns by commas.',
  ].filter(Boolean);
  if (faults.length > 0) throw new Error(faults.join(' '));
  return columns;
}
