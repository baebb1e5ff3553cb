import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Long } from 'mongodb';
import { DomainError } from '../../core/errors/domain-error.js';
import { readDto } from '../../core/validation/dto-reader.js';
import { parseJsonBody } from '../../core/http/body/json-body.js';
import { type CsvRow, csvRows, readCsv, verbatimCsvRows } from '../../core/values/csv.js';
import { utf8Text } from '../../core/values/file-text.js';
import { isPlainObject, jsonLine, asObject, scalarText } from '../../core/values/json.js';
import { UpsertLeadDto } from '../dto/upsert-lead.dto.js';
import { flatFields } from '../lead-merge.js';

/** `row` counts from 1; `line` is the last line of the row. CSV rows without values count, but are skipped. */
export interface LeadRow {
  readonly row: number;
  readonly line: number;
  readonly json: Buffer;
}

export interface RefusedRow {
  readonly row: number;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

export interface LeadFile {
  readonly fileHash: string;
  readonly rows: readonly LeadRow[];
  /** NDJSON has none. */
  readonly columns?: readonly string[];
}

/** Reports have the reasons in these columns, or for NDJSON in a line above the row. */
const reasonColumns = ['row', 'line', 'code', 'message'].map((name) => `error.${name}`);
const reasonLine = /^\s*\{\s*"error"\s*:\s*\{\s*"row"\s*:/;

const nestedColumn = /^(data|additionalData)\.(.+)$/s;
const knownColumns: readonly string[] = ['recordSystemId', ...flatFields];
const csvColumns = {
  names: [...knownColumns, 'data.<key>', 'additionalData.<key>'],
  ignored: reasonColumns,
  isKnown: (name: string) => knownColumns.includes(name) || nestedColumn.test(name),
};

/**
 * Reads CSV with a header line, or NDJSON if the name ends with `.ndjson` or `.jsonl` (rule LEAD-16). Skips the reasons
 * of a report of refused rows.
 *
 * @throws Error for a name `.json`, text that is not UTF-8, invalid CSV, or columns that are unknown or repeated
 */
export async function readLeadFile(path: string): Promise<LeadFile> {
  if (/\.json$/i.test(path)) {
    throw new Error(
      'A JSON file cannot be imported. Convert it to CSV, or to NDJSON (one JSON object per line) named .ndjson or .jsonl.',
    );
  }
  const bytes = await readFile(path);
  const text = utf8Text(bytes);
  const content = isNdjson(path) ? { rows: jsonRows(text) } : csvContent(text);
  return { fileHash: hash('sha256', bytes), ...content };
}

export function isNdjson(path: string): boolean {
  return /\.(ndjson|jsonl)$/i.test(path);
}

function jsonRows(text: string): LeadRow[] {
  let row = 0;
  // Node's `readline` also splits at U+2028, which JSON strings may contain.
  return text.split('\n').flatMap((json, index) => {
    const isRow = json.trim() !== '' && !reasonLine.test(json);
    return isRow ? { row: ++row, line: index + 1, json: Buffer.from(json) } : [];
  });
}

function csvContent(text: string): Required<Pick<LeadFile, 'rows' | 'columns'>> {
  const { columns, rows } = readCsv(text, csvColumns);
  return { columns, rows: rows.map(leadRow) };
}

function leadRow({ row, line, cells }: CsvRow): LeadRow {
  const body: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(cells)) {
    const [, parent, key = ''] = nestedColumn.exec(name) ?? [];
    if (parent === undefined) body[name] = cell;
    else body[parent] = { ...(body[parent] as object | undefined), [key]: cell };
  }
  return { row, line, json: Buffer.from(JSON.stringify(body)) };
}

/** Begins a report of refused rows, which a person can correct and import. Excel reads Arabic only with a byte-order mark. */
export function reportHeader({ columns }: LeadFile): string {
  if (columns === undefined) return '';
  return `\uFEFF${verbatimCsvRows([[...columns, ...reasonColumns]])}`;
}

/** Returns the row as the file has it, formulas included, with the reason for people. */
export function reportedRow({ columns }: LeadFile, source: LeadRow, refused: RefusedRow): string {
  const { row, line, code, message } = refused;
  if (columns === undefined) {
    const reason = { error: { row, line, code, message } };
    return jsonLine(JSON.stringify(reason)) + jsonLine(source.json.toString());
  }
  const cells = verbatimCsvRows([cellsOf(source, columns)]).replace(/\r\n$/, '');
  return `${cells},${csvRows([[row, line, code, message]])}`;
}

function cellsOf({ json }: LeadRow, columns: readonly string[]): string[] {
  const body = new Map(Object.entries(JSON.parse(json.toString()) as Record<string, unknown>));
  return columns.map((name) => {
    const [, parent, key = ''] = nestedColumn.exec(name) ?? [];
    if (parent === undefined) return scalarText(body.get(name));
    return scalarText(new Map(Object.entries(asObject(body.get(parent)))).get(key));
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
    return isPlainObject(body) ? readDto(UpsertLeadDto, body).dto : null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
