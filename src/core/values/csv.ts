import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

export type CsvCell = string | number | boolean;

/** RFC 4180 knows the first two; some programs also end lines at the others. */
const lineBreak = /[\r\n\v\f\u{85}\u{2028}\u{2029}]/u;

/** The start of a formula, also in spreadsheets with other delimiters or without quoted line breaks. */
const formula = new RegExp(
  `(^|[;,\\t]|${lineBreak.source})(?=[=+@\\-\\t\\r\u{FF1D}\u{FF0B}\u{FF20}\u{FF0D}])`,
  'gu',
);

/** CSV by RFC 4180 without formulas. */
export function csvRows(rows: readonly (readonly CsvCell[])[]): string {
  return stringify([...rows], {
    record_delimiter: 'windows',
    // The library quotes only the delimiter by default, and a bare line break would end the row.
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
  /** Empty cells are omitted: they stand for fields that are not sent. */
  readonly cells: Readonly<Record<string, string>>;
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/**
 * Reads CSV with a header line, columns in any order, without blank rows, which spreadsheets append.
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

/** @throws Error that names all unknown and missing columns */
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
