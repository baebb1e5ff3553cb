import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Long } from 'mongodb';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { DtoReader } from '../../core/http/validation/dto-reader.js';
import { parseJsonBody } from '../../core/http/validation/json-body.js';
import { readCsvRows } from '../../core/values/csv.js';
import { isPlainObject } from '../../core/values/json.js';
import { UpsertLeadDto } from '../dto/upsert-lead.dto.js';
import { flatFields } from '../lead-merge.js';

/** `row` counts from 1; `line` is the last line of the row. CSV rows without values count, but are skipped. */
export interface LeadRow {
  readonly row: number;
  readonly line: number;
  readonly json: Buffer;
}

const nestedColumn = /^(data|additionalData)\.(.+)$/s;
const knownColumns: readonly string[] = ['recordSystemId', ...flatFields];
const csvColumns = {
  names: [...knownColumns, 'data.<key>', 'additionalData.<key>'],
  isKnown: (name: string) => knownColumns.includes(name) || nestedColumn.test(name),
};

/**
 * Reads CSV with a header line, or NDJSON if the name ends with `.ndjson` or `.jsonl` (rule LEAD-16).
 *
 * @throws Error for a name `.json`, text that is not UTF-8, invalid CSV, or an unknown column
 */
export async function readLeadFile(path: string) {
  if (/\.json$/i.test(path)) {
    throw new Error(
      'A JSON file cannot be imported. Convert it to CSV, or to NDJSON (one JSON object per line) named .ndjson or .jsonl.',
    );
  }
  const bytes = await readFile(path);
  // Names in another encoding would be stored unreadably.
  if (!isUtf8(bytes)) throw new Error('The file is not UTF-8. Convert it and import it again.');
  const rows = /\.(ndjson|jsonl)$/i.test(path) ? jsonRows(bytes) : csvRows(bytes);
  return { fileHash: hash('sha256', bytes), rows };
}

function jsonRows(bytes: Buffer): LeadRow[] {
  let row = 0;
  // Node's `readline` also splits at U+2028, which JSON strings may contain.
  return bytes
    .toString()
    .split('\n')
    .flatMap((json, index) =>
      json.trim() === '' ? [] : { row: ++row, line: index + 1, json: Buffer.from(json) },
    );
}

function csvRows(bytes: Buffer): LeadRow[] {
  return readCsvRows(bytes, csvColumns).map(({ row, line, cells }) => {
    const body: Record<string, unknown> = {};
    for (const [name, cell] of Object.entries(cells)) {
      const [, parent, key = ''] = nestedColumn.exec(name) ?? [];
      if (parent === undefined) body[name] = cell;
      else body[parent] = { ...(body[parent] as object | undefined), [key]: cell };
    }
    return { row, line, json: Buffer.from(JSON.stringify(body)) };
  });
}

/** The nesting limit is the default of request bodies. */
const bodyRules = {
  maxDepth: 32,
  toInteger: (integer: bigint) => Long.fromBigInt(integer),
  roundsNumbers: true,
};

/** Parses a body like a request; returns null for a value that is not an object, an error for invalid JSON. */
export function parseLead({ json }: LeadRow): UpsertLeadDto | DomainError | null {
  try {
    const body: unknown = parseJsonBody(json, bodyRules);
    return isPlainObject(body) ? new DtoReader(UpsertLeadDto, body).dto : null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
