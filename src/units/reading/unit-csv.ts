import type { Batches } from '../../core/http/lists/list-text.js';
import { type CsvCell, csvRows } from '../../core/values/csv.js';
import { unitColumns, type UnitRow } from '../unit.dto.js';

/** By which spreadsheets know that a text is UTF-8. */
const byteOrderMark = '\u{FEFF}';

/** The parts of a CSV text (RFC 4180) with a header line; lists are separated by `|`. */
export async function* csvText(
  batches: Batches<UnitRow>,
  hasByteOrderMark: boolean,
): AsyncGenerator<Buffer, void> {
  yield Buffer.from((hasByteOrderMark ? byteOrderMark : '') + csvRows([unitColumns]));
  for await (const batch of batches) {
    const rows = batch.map((unit) => unitColumns.map((column) => cellOf(unit[column])));
    yield Buffer.from(csvRows(rows));
  }
}

function cellOf(value: UnitRow[(typeof unitColumns)[number]]): CsvCell {
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
