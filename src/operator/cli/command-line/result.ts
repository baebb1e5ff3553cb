import Table from 'cli-table3';
import { type ViewField, plainColumns } from '../../views/field.js';

type Cell = string | number | boolean | Date | null | undefined | readonly string[];

/** Titles in their order, and the cell of each. */
export type Columns<T> = Readonly<Record<string, (item: T) => Cell>>;

type View<T> = Columns<T> | readonly ViewField<T>[];

/** The result of a command: JSON for programs, lines for people. */
export interface Result {
  readonly json: unknown;
  readonly lines: readonly (string | (() => readonly string[]))[];
  /** Printed to standard error after the result; the exit code is 1. */
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

export function list<T>(items: readonly T[], view: View<T>, json: unknown = items): Result {
  return { json, lines: [() => listLines(items, columnsOf(view))] };
}

export function item<T>(one: T, view: View<T>, json: unknown = one): Result {
  return { json, lines: [() => itemLines(one, columnsOf(view))] };
}

/** A result of several parts, each an own line or a result whose JSON is left out. */
export function report(json: unknown, ...parts: readonly (string | Result)[]): Result {
  return {
    json,
    lines: parts.flatMap((part) => (typeof part === 'string' ? [part] : part.lines)),
  };
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

function listLines<T>(items: readonly T[], columns: Columns<T>): readonly string[] {
  const rows = items.map((one) => Object.values(columns).map((value) => textOf(value(one))));
  const titles = Object.keys(columns).map((title) => title.toUpperCase());
  const table = fittingTable(titles, rows);
  if (table !== null) return table;
  return items.flatMap((one, index) => [...(index > 0 ? [''] : []), ...itemLines(one, columns)]);
}

function itemLines<T>(one: T, columns: Columns<T>): string[] {
  const lines = Object.entries(columns).map(([title, value]) => [title, textOf(value(one))]);
  return tableLines([], lines);
}

function columnsOf<T>(view: View<T>): Columns<T> {
  return Array.isArray(view) ? plainColumns(view as readonly ViewField<T>[]) : (view as Columns<T>);
}

/** Wraps the widest column between words; null when the table is still wider than the screen. */
function fittingTable(titles: string[], rows: string[][]): string[] | null {
  const lines = tableLines(titles, rows);
  // A terminal may not know its width: 0.
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

function tableLines(head: string[], rows: string[][], colWidths: (number | null)[] = []): string[] {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
  const table = new Table({ head, chars, style, colWidths, wordWrap: true });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

function textOf(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString().replace(/\.\d+Z$/, 'Z');
  const text = typeof cell === 'object' ? (cell?.join(', ') ?? '') : String(cell ?? '');
  // Names come from other programs; a control character could rewrite what the terminal shows.
  return text.replace(/\p{Cc}/gu, ' ') || '-';
}

export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
