import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Long } from 'mongodb';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { parseJsonBody } from '../../core/http/validation/json-body.js';
import { readCsvRows } from '../../core/values/csv.js';
import { leadErrors } from '../lead-errors.js';
import { flatFields } from '../lead-merge.js';

/** A row of a file, from 1 on, and the line on which it ends. Blank rows are counted and left out. */
export interface LeadRow {
  readonly row: number;
  readonly line: number;
  /** The body of a request, or why it is none. */
  readonly body: unknown;
  readonly error?: DomainError;
  /** About how much it takes. */
  readonly bytes: number;
}

/** As deep as the default of a request. */
const depthLimit = 32;
const newLine = 0x0a;
const nestedColumn = /^(data|additionalData)\.(.+)$/s;
const knownColumns: readonly string[] = ['recordSystemId', ...flatFields];

/**
 * The SHA-256 of a file in hexadecimal.
 *
 * @throws Error when it is no UTF-8: names would be stored that nobody can read
 */
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
    if (error instanceof TypeError) throw new TypeError('The file is not UTF-8.', { cause: error });
    throw error;
  }
  return hash.digest('hex');
}

/**
 * The rows of a file of leads, as they are read: CSV with a header line, or one JSON object a line where
 * the name ends with `.ndjson` or `.jsonl` (rule LEAD-16).
 *
 * @throws Error when it is JSON by its name or no CSV, or has a column that is not known
 */
export function leadRows(path: string): AsyncGenerator<LeadRow, void> {
  if (/\.json$/i.test(path)) {
    throw new Error(
      'A file of leads is CSV, or NDJSON (one JSON object a line) with a name that ends with .ndjson or .jsonl.',
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

/** A text within JSON may hold what else is taken for the end of a line. */
async function* linesOf(path: string): AsyncGenerator<Buffer, void> {
  // Joined once when the line ends: a long line comes in many chunks.
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
  depthLimit,
  toInteger: (integer: bigint) => Long.fromBigInt(integer),
  inexactNumber: leadErrors.inexactNumber,
};

/** What a request with this body would be taken for. */
function bodyOf(text: Buffer): Pick<LeadRow, 'body' | 'error' | 'bytes'> {
  const bytes = text.length;
  try {
    return { body: parseJsonBody(text, bodyRules), bytes };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { body: undefined, error: error as DomainError, bytes };
  }
}
