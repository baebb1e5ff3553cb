import { stringify } from 'csv-stringify/sync';

export type CsvCell = string | number | boolean;

/** What some program takes for the end of a line; RFC 4180 knows the first two. */
const lineBreak = /[\r\n\v\f\u{85}\u{2028}\u{2029}]/u;

/** Where a spreadsheet, or one that does not know quoted line breaks, would begin a formula. */
const formula = new RegExp(
  `(^|${lineBreak.source})(?=[=+@\\-\\t\\r\u{FF1D}\u{FF0B}\u{FF20}\u{FF0D}])`,
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
