import Table from 'cli-table3';
import { isStoredObject } from '../../../core/values/json.js';
import { type ViewField, plainTitle, plainValue } from '../../views/view-field.js';

/** Fields to show: property names, fields of the console, or custom ones. Without a view, all are shown. */
export type View<T> = readonly (
  (keyof T & string) | ViewField<T> | { readonly title: string; of(item: T): unknown }
)[];

type Line = readonly [title: string, text: string];

/** Output is JSON for programs and lines for people. */
export interface Result {
  readonly json: unknown;
  readonly lines: readonly (string | (() => readonly string[]))[];
  /** Printed to standard error after the result; sets exit code 1. */
  readonly failure?: string | undefined;
  /** Sets the exit code 1 where the result itself says why. */
  readonly isFailed?: boolean;
}

const borders = [
  ['top', 'top-mid', 'top-left', 'top-right'],
  ['bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
];
const chars = { ...Object.fromEntries(borders.flat().map((part) => [part, ''])), middle: '  ' };

export function list<T extends object>(
  items: readonly T[],
  view?: View<T>,
  json: unknown = items,
): Result {
  return { json, lines: [() => listLines(items.map((one) => fieldLines(one, view)))] };
}

export function item<T extends object>(one: T, view?: View<T>, json: unknown = one): Result {
  return { json, lines: [() => tableLines([], fieldLines(one, view))] };
}

/** Combines lines and other results, each followed by an empty line. The JSON of the others is dropped. */
export function joinResults(json: unknown, ...parts: readonly (string | Result | false)[]): Result {
  const shown = parts.filter((part) => part !== false);
  const lines = shown.flatMap((part, index) => {
    if (typeof part === 'string') return [part];
    return index === shown.length - 1 ? part.lines : [...part.lines, ''];
  });
  return { json, lines };
}

export function showSecrets(view: object): Result {
  return joinResults(view, item(view), 'Store the secrets now: they are not shown again.');
}

export function print(result: Result | void, isJson: boolean): void {
  if (!result) return;
  const { json, lines, failure, isFailed = false } = result;
  const text = () => lines.flatMap((part) => (typeof part === 'string' ? [part] : part()));
  printLine(isJson ? JSON.stringify(json, null, 2) : text().join('\n'));
  if (isFailed) process.exitCode = 1;
  if (failure !== undefined) throw new Error(failure);
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fieldLines<T extends object>(one: T, view?: View<T>): Line[] {
  if (view === undefined) return allLines(one);
  return view.map((field) => {
    if (typeof field === 'string') return [titleOf(field), textOf(one[field])];
    const value = 'kind' in field ? plainValue(field, one) : field.of(one);
    return [plainTitle(field.title), textOf(value)];
  });
}

function allLines(one: object, path = ''): Line[] {
  return Object.entries(one).flatMap(([name, value]: [string, unknown]) => {
    const title = `${path} ${name}`;
    return isStoredObject(value) ? allLines(value, title) : [[titleOf(title), textOf(value)]];
  });
}

/** Turns `createdAt` into `Created at`, `isSigned` into `Signed`, and `leadIds` into `Lead IDs`. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', '').replaceAll(/[A-Z]/g, (letter) => ` ${letter}`);
  const title = words
    .trim()
    .toLowerCase()
    .replace(/^is /, '')
    .replaceAll(/\bid(s?)\b/g, 'ID$1');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Falls back from a table to lists if it is too wide. */
function listLines(items: readonly (readonly Line[])[]): readonly string[] {
  if (items.length === 0) return ['None.'];
  const titles = [...new Set(items.flatMap((lines) => lines.map(([title]) => title)))];
  const rows = items.map((lines) => titles.map((title) => new Map(lines).get(title) ?? '-'));
  const table = fittingTable(
    titles.map((title) => title.toUpperCase()),
    rows,
  );
  if (table !== null) return table;
  return items.flatMap((lines, index) => [...(index > 0 ? [''] : []), ...tableLines([], lines)]);
}

/** Wraps the widest column between words; returns null when the table still does not fit. */
function fittingTable(titles: string[], rows: string[][]): string[] | null {
  const lines = tableLines(titles, rows);
  // A terminal reports 0 if it does not know its width.
  const excess = Math.max(...lines.map(({ length }) => length)) - (process.stdout.columns || 80);
  if (excess <= 0) return lines;
  const cells = titles.map((title, column) => [title, ...rows.map((row) => row[column] ?? '')]);
  const widths = cells.map((texts) => Math.max(...texts.map(({ length }) => length)));
  const widest = widths.indexOf(Math.max(...widths));
  const width = (widths[widest] ?? 0) - excess;
  const words = (cells[widest] ?? []).flatMap((text) => text.split(/\s+/));
  if (words.some(({ length }) => length > width)) return null;
  const colWidths = titles.map((_, column) => (column === widest ? width : null));
  return tableLines(titles, rows, colWidths);
}

function tableLines(
  head: string[],
  rows: readonly Line[] | string[][],
  colWidths: (number | null)[] = [],
): string[] {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
  const table = new Table({ head, chars, style, colWidths, wordWrap: true });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  const text = [(value ?? []) as string | readonly string[]].flat().join(', ');
  // Control characters in names of other programs could rewrite lines of the terminal.
  return text.replace(/\p{Cc}/gu, ' ') || '-';
}

export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
