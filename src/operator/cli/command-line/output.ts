import Table from 'cli-table3';
import { type Field, plainColumns } from '../../views/field.js';

/** What a cell of a table or the value of a line may hold. */
type Cell = string | number | boolean | Date | null | undefined | readonly string[];

/** The titles of a view for people, in their order, and the cell under each. */
export type Columns<T> = Readonly<Record<string, (item: T) => Cell>>;

/** The same by the fields that the console shows, too. */
type View<T> = Columns<T> | readonly Field<T>[];

/** How a command is to print its result. */
export interface OutputOptions {
  readonly json?: boolean | undefined;
}

const borders = [
  ['top', 'top-mid', 'top-left', 'top-right'],
  ['bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
];
const chars = { ...Object.fromEntries(borders.flat().map((part) => [part, ''])), middle: '  ' };

/** Prints a list: a table for people, a JSON array for programs. */
export function printList<T>(items: readonly T[], view: View<T>, { json }: OutputOptions): void {
  if (json === true) return printJson(items);
  const columns = Object.entries(columnsOf(view));
  const rows = items.map((item) => columns.map(([, value]) => textOf(value(item))));
  const titles = columns.map(([title]) => title.toUpperCase());
  const table = fittingTable(titles, rows);
  if (table !== null) return printLines(table);
  for (const [index, item] of items.entries()) {
    if (index > 0) printLine('');
    printItem(item, view, {});
  }
}

/** Prints a single result: a line per field for people, a JSON object for programs. */
export function printItem<T>(item: T, view: View<T>, { json }: OutputOptions): void {
  if (json === true) return printJson(item);
  const lines = Object.entries(columnsOf(view)).map(([title, value]) => [
    title,
    textOf(value(item)),
  ]);
  printLines(tableLines([], lines));
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

/** Prints a line of the result; everything that is not a result goes to standard error. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function columnsOf<T>(view: View<T>): Columns<T> {
  return isFields(view) ? plainColumns(view) : view;
}

function isFields<T>(view: View<T>): view is readonly Field<T>[] {
  return Array.isArray(view);
}

/** The lines of a table as wide as the screen, its widest column wrapped between words; null where that is too narrow. */
function fittingTable(titles: string[], rows: string[][]): string[] | null {
  const lines = tableLines(titles, rows);
  const excess = Math.max(...lines.map(({ length }) => length)) - (process.stdout.columns ?? 80);
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

function printLines(lines: readonly string[]): void {
  for (const line of lines) printLine(line);
}

function textOf(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString().replace(/\.\d+Z$/, 'Z');
  const text = typeof cell === 'object' ? (cell?.join(', ') ?? '') : String(cell ?? '');
  // Names come from other programs; a control character could rewrite what the terminal shows.
  return text.replace(/\p{Cc}/gu, ' ') || '-';
}

/** A number with what it counts, such as `1 entry` or `2 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
