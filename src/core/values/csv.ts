import { CsvError, parse } from 'csv-parse/sync';
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
  const neutralized = (cell: CsvCell) =>
    typeof cell === 'string' ? cell.replace(formula, "$1'") : cell;
  return verbatimCsvRows(rows.map((row) => row.map(neutralized)));
}

/** Writes RFC 4180, with formulas: for a file to be imported, whose cells must stay as they are. */
export function verbatimCsvRows(rows: readonly (readonly CsvCell[])[]): string {
  return stringify([...rows], {
    record_delimiter: 'windows',
    // By default the library quotes only the delimiter; a bare line break would end the row.
    quoted_match: lineBreak,
    cast: { boolean: String },
  });
}

interface KnownColumns {
  readonly names: readonly string[];
  readonly required?: readonly string[];
  /** Columns for people, which are not read. */
  readonly ignored?: readonly string[];
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

interface CsvTable {
  /** Omits ignored columns. */
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/**
 * Requires a header line; columns may be in any order. Skips blank rows, which spreadsheets append.
 *
 * @throws Error for invalid CSV, and for unknown, missing, repeated or nameless columns
 */
export function readCsv(text: string, known: KnownColumns): CsvTable {
  let columns: readonly string[] = [];
  const { ignored = [] } = known;
  const withHeader = (header: string[]) => {
    assertColumns(header, known);
    columns = header.filter((name) => !ignored.includes(name));
    return header;
  };
  const records = parsedRecords(text, withHeader);
  const rows = records.flatMap(({ record, info }, index) => {
    const cells = columns.flatMap((name) => (record[name] ? [[name, record[name]] as const] : []));
    if (cells.every(([, cell]) => cell.trim() === '')) return [];
    return { row: index + 1, line: info.lines, cells: Object.fromEntries(cells) };
  });
  return { columns, rows };
}

function parsedRecords(text: string, columns: (header: string[]) => string[]) {
  try {
    const options = { columns, info: true, skip_empty_lines: true } as const;
    return parse(text, options) as unknown as readonly CsvRecord[];
  } catch (error) {
    const isRagged = error instanceof CsvError && error.code === 'CSV_RECORD_INCONSISTENT_COLUMNS';
    if (!isRagged) throw error;
    const { lines, record, columns: header } = error as unknown as RaggedRow;
    throw new Error(
      `Line ${lines} has ${record.length} instead of ${header.length} cells. Delete empty columns at ` +
        'the end, and put cells that contain a comma in double quotes.',
      { cause: error },
    );
  }
}

interface RaggedRow {
  readonly lines: number;
  readonly record: readonly string[];
  readonly columns: readonly unknown[];
}

function assertColumns(
  columns: readonly string[],
  { names, required = [], ignored = [], isKnown = (name) => names.includes(name) }: KnownColumns,
): void {
  if (/^sep=/i.test(columns[0] ?? '')) {
    throw new Error('The first line must name the columns. Delete the line that begins with sep=.');
  }
  const nameless = columns.flatMap((name, index) => (name.trim() === '' ? [index + 1] : []));
  const repeated = columns.filter((name, index) => name.trim() && columns.indexOf(name) < index);
  const unknown = columns.filter(
    (name) => name.trim() !== '' && !isKnown(name) && !ignored.includes(name),
  );
  const missing = required.filter((name) => !columns.includes(name));
  const faults = [
    nameless.length > 0 &&
      `Columns without a name: ${nameless.join(', ')}. Delete empty columns at the end, and name others.`,
    repeated.length > 0 &&
      `Columns that occur twice: ${[...new Set(repeated)].join(', ')}. Keep one of each.`,
    unknown.length > 0 && `Unknown columns: ${unknown.join(', ')}. Known are ${names.join(', ')}.`,
    missing.length > 0 && `Missing columns: ${missing.join(', ')}.`,
    /[;\t]/.test(unknown.join()) && 'Separate columns by commas.',
  ].filter(Boolean);
  if (faults.length > 0) throw new Error(faults.join(' '));
}
