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

/**
 * The columns of a header line.
 *
 * @throws Error that says once which are not known, and which are missing
 */
export function checkedColumns(
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
