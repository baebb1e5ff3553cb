import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
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
const newLine = 0x0a;
const nestedColumn = /^(data|additionalData)\.(.+)$/s;
const knownColumns: readonly string[] = ['recordSystemId', ...flatFields];

/** @throws Error when the file is not UTF-8: names would be stored unreadably */
export async function fileHashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const chunks: AsyncIterable<Buffer> = createReadStream(path);
  try {
    for await (const chunk of chunks) {
      hash.update(chunk);
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError)
      throw new TypeError('The file is not UTF-8. Convert it and import it again.', {
        cause: error,
      });
    throw error;
  }
  return hash.digest('hex');
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
  let [row, line] = [0, 0];
  for await (const json of linesOf(path)) {
    line += 1;
    if (json.toString().trim() !== '') yield { row: ++row, line, ...bodyOf(json) };
  }
}

/** Node's `readline` also splits at U+2028, which JSON strings may contain. */
async function* linesOf(path: string): AsyncGenerator<Buffer, void> {
  // Joined once at the end of the line, because a long line comes in many chunks.
  let begun: Buffer[] = [];
  const chunks: AsyncIterable<Buffer> = createReadStream(path);
  for await (const chunk of chunks) {
    let rest = chunk;
    for (let end = rest.indexOf(newLine); end !== -1; end = rest.indexOf(newLine)) {
      yield Buffer.concat([...begun, rest.subarray(0, end)]);
      begun = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) begun.push(rest);
  }
  if (begun.length > 0) yield Buffer.concat(begun);
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
