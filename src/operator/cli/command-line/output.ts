import Table from 'cli-table3';

/** What a cell of a table or the value of a line may hold. */
type Cell = string | number | boolean | Date | null | undefined | readonly string[];

/** The titles of a view for people, in their order, and the cell under each. */
export type Columns<T> = Readonly<Record<string, (item: T) => Cell>>;

/** How a command is to print its result. */
export interface OutputOptions {
  readonly json?: boolean;
}

const borders = [
  ['top', 'top-mid', 'top-left', 'top-right'],
  ['bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
];
const chars = { ...Object.fromEntries(borders.flat().map((part) => [part, ''])), middle: '  ' };

/** Prints a list: a table for people, a JSON array for programs. */
export function printList<T>(
  items: readonly T[],
  columns: Columns<T>,
  { json }: OutputOptions,
): void {
  if (json === true) return printJson(items);
  printTable(
    Object.keys(columns).map((title) => title.toUpperCase()),
    items.map((item) => Object.values(columns).map((value) => value(item))),
  );
}

/** Prints a single result: a line per field for people, a JSON object for programs. */
export function printItem<T>(item: T, columns: Columns<T>, { json }: OutputOptions): void {
  if (json === true) return printJson(item);
  printTable(
    [],
    Object.entries(columns).map(([title, value]) => [title, value(item)]),
  );
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

/** Prints a line of the result; everything that is not a result goes to standard error. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printTable(head: string[], rows: Cell[][]): void {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
  const table = new Table({ head, chars, style });
  table.push(...rows.map((row) => row.map(textOf)));
  for (const line of table.toString().split('\n')) printLine(line.trimEnd());
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
