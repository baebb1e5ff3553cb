import { stringify } from 'csv-stringify/sync';
import type { Batches } from '../../http/lists/list-text.js';
import { unitColumns, type UnitDto } from '../unit.dto.js';

type Cell = string | number | boolean;

/** The parts of a CSV text (RFC 4180) with a header line; lists are separated by `|`. */
export async function* csvText(batches: Batches<UnitDto>): AsyncGenerator<string, void> {
  yield rowsText([unitColumns]);
  for await (const batch of batches) {
    yield rowsText(batch.map((unit) => unitColumns.map((column) => cellOf(unit[column]))));
  }
}

function cellOf(value: UnitDto[(typeof unitColumns)[number]]): Cell {
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
    cast: { boolean: String },
    // A spreadsheet would evaluate a name that begins with `=`.
    escape_formulas: true,
  });
}
