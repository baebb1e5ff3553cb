import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Long } from 'mongodb';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { parseJsonBody } from '../../core/http/validation/json-body.js';
import { readCsvRows } from '../../core/values/csv.js';
import { leadErrors } from '../lead-errors.js';
import { flatFields } from '../lead-merge.js';

/** A row with its number, from 1, and the line on which it ends. Blank rows are counted and skipped. */
export interface LeadRow {
  readonly row: number;
  readonly line: number;
  readonly body: unknown;
  readonly error?: DomainError;
  readonly bytes: number;
}

/** The default of a request. */
const maxDepth = 32;
const nestedColumn = /^(data|additionalData)\.(.+)$/s;
const knownColumns: readonly string[] = ['recordSystemId', ...flatFields];

/** @throws Error when the file is not UTF-8: names would be stored unreadably */
export async function fileHashOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (!isUtf8(bytes)) throw new Error('The file is not UTF-8. Convert it and import it again.');
  return hash('sha256', bytes);
}

/**
 * Reads CSV with a header line, or NDJSON by the name `.ndjson` or `.jsonl` (rule LEAD-16).
 *
 * @throws Error for a name `.json`, broken CSV, or an unknown column
 */
export function leadRows(path: string): AsyncGenerator<LeadRow, void> {
  if (/\.json$/i.test(path)) {
    throw new Error(
      'A JSON file cannot be imported. Convert it to CSV, or to NDJSON (one JSON object per line) named .ndjson or .jsonl.',
    );
  }
  return /\.(ndjson|jsonl)$/i.test(path) ? jsonRows(path) : csvRows(path);
}

async function* jsonRows(path: string): AsyncGenerator<LeadRow, void> {
  let row = 0;
  // Node's `readline` also splits at U+2028, which JSON strings may contain.
  const lines = (await readFile(path, 'utf8')).split('\n');
  for (const [index, json] of lines.entries()) {
    if (json.trim() !== '') yield { row: ++row, line: index + 1, ...bodyOf(Buffer.from(json)) };
  }
}

async function* csvRows(path: string): AsyncGenerator<LeadRow, void> {
  const rows = readCsvRows(createReadStream(path), {
    names: [...knownColumns, 'data.<key>', 'additionalData.<key>'],
    isKnown: (name) => knownColumns.includes(name) || nestedColumn.test(name),
  });
  for await (const { row, line, cells } of rows) {
    yield { row, line, ...bodyOf(Buffer.from(JSON.stringify(fieldsOf(cells)))) };
  }
}

function fieldsOf(row: Readonly<Record<string, string>>): object {
  const cells = Object.entries(row);
  const flat = cells.filter(([name]) => knownColumns.includes(name));
  const nested = ['data', 'additionalData'].flatMap((parent) => {
    const keys = cells.flatMap(([name, cell]) => {
      const [, group, key = ''] = nestedColumn.exec(name) ?? [];
      return group === parent ? [[key, cell]] : [];
    });
    return keys.length === 0 ? [] : [[parent, Object.fromEntries(keys)]];
  });
  return Object.fromEntries([...flat, ...nested]) as object;
}

const bodyRules = {
  maxDepth,
  toInteger: (integer: bigint) => Long.fromBigInt(integer),
  inexactNumber: leadErrors.inexactNumber,
};

/** Parses a body as a request would. */
function bodyOf(text: Buffer): Pick<LeadRow, 'body' | 'error' | 'bytes'> {
  const bytes = text.length;
  try {
    return { body: parseJsonBody(text, bodyRules), bytes };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { body: undefined, error: error as DomainError, bytes };
  }
}
