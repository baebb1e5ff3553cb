import { stringify } from 'csv-stringify/sync';
import type { Batches } from '../../http/lists/list-text.js';
import { unitColumns, type UnitRow } from '../unit.dto.js';

type Cell = string | number | boolean;

/** By which spreadsheets know that a text is UTF-8. */
const byteOrderMark = '\u{FEFF}';

/** What some program takes for the end of a line; RFC 4180 knows the first two. */
const lineBreak = /[\r\n\v\f\u{85}\u{2028}\u{2029}]/u;

/** Where a spreadsheet, or one that does not know quoted line breaks, would begin a formula. */
const formula = new RegExp(
  `(^|${lineBreak.source})(?=[=+@\\-\\t\\r\u{FF1D}\u{FF0B}\u{FF20}\u{FF0D}])`,
  'gu',
);

/** The parts of a CSV text (RFC 4180) with a header line; lists are separated by `|`. */
export async function* csvText(
  batches: Batches<UnitRow>,
  hasByteOrderMark: boolean,
): AsyncGenerator<string, void> {
  yield (hasByteOrderMark ? byteOrderMark : '') + rowsText([unitColumns]);
  for await (const batch of batches) {
    yield rowsText(batch.map((unit) => unitColumns.map((column) => cellOf(unit[column]))));
  }
}

function cellOf(value: UnitRow[(typeof unitColumns)[number]]): Cell {
  if (Array.isArray(value)) return value.map(labelOf).join('|');
  if (typeof value !== 'object') return value ?? '';
  return value === null || !('name' in value) ? '' : value.name;
}

/** The text of an item of a list: the name of an amenity, the address of a picture. */
function labelOf(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return String(item);
  const { name, image } = item as { readonly name?: string; readonly image?: string };
  return name ?? image ?? item;
}

function rowsText(rows: readonly (readonly Cell[])[]): string {
  return stringify([...rows], {
    record_delimiter: 'windows',
    // Otherwise it quotes for the delimiter alone, and a bare line break would end the row.
    quoted_match: lineBreak,
    cast: { boolean: String, string: (text) => text.replace(formula, "$1'") },
  });
}
