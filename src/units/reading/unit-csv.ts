import type { Batches } from '../../core/http/lists/list-text.js';
import { type CsvCell, csvRows } from '../../core/values/csv.js';
import { objectOf } from '../../core/values/plain-object.js';
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

/** The text of an item of a list: the name of an amenity, the address of a picture; of others their JSON. */
function labelOf(item: unknown): string {
  const { name, image } = objectOf(item);
  const text = [item, name, image].find((value) => typeof value === 'string');
  if (text !== undefined) return text;
  const json = JSON.stringify(item ?? null);
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}
