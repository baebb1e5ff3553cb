import { isStoredObject } from '../../../core/values/json.js';
import { type ViewField, plainValue } from '../../views/view-field.js';

/** Fields to show: property names, fields of the console, or custom ones. Without a view, all are shown. */
export type View<T> = readonly (
  (keyof T & string) | ViewField<T> | { readonly title: string; of(item: T): unknown }
)[];

/** Output is JSON for programs and lines for people. */
export interface Result {
  readonly json: unknown;
  readonly lines: readonly (string | (() => readonly string[]))[];
  /** Printed to standard error after the result; sets exit code 1. */
  readonly failure?: string | undefined;
  /** Sets the exit code 1 where the result itself says why. */
  readonly isFailed?: boolean;
}

interface Cell {
  readonly title: string;
  readonly text: string;
  /** Where a table may shorten the text; absent for ids, times and numbers. */
  readonly cut?: 'middle' | 'end' | undefined;
}

interface Column {
  readonly cut: Cell['cut'];
  /** The first one is the title. */
  readonly texts: readonly string[];
  readonly width: number;
}

/** Applies to output into a file or pipe. */
const defaultWidth = 120;
const ellipsis = '…';
const segmenter = new Intl.Segmenter();
const minCutWidth = 8;
const gap = '  ';
const cuts: Readonly<Partial<Record<ViewField<never>['kind'], Cell['cut']>>> = {
  url: 'middle',
  text: 'end',
  name: 'end',
  personal: 'end',
};

export function list<T extends object>(
  items: readonly T[],
  view?: View<NoInfer<T>>,
  json: unknown = items,
): Result {
  return { json, lines: [() => tableLines(items.map((record) => cellsOf(record, view)))] };
}

export function item<T extends object>(
  record: T,
  view?: View<NoInfer<T>>,
  json: unknown = record,
): Result {
  return { json, lines: [() => itemLines(cellsOf(record, view))] };
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

function cellsOf<T extends object>(record: T, view?: View<T>): Cell[] {
  if (view === undefined) return allCells(record);
  return view.map((field) => {
    if (typeof field === 'string') return cellOf(titleOf(field), record[field]);
    if (!('kind' in field)) return cellOf(field.title, field.of(record));
    return cellOf(field.title, plainValue(field, record), field.cut ?? cuts[field.kind]);
  });
}

function cellOf(title: string, value: unknown, cut?: Cell['cut']): Cell {
  return { title, text: textOf(value), cut: cut ?? (Array.isArray(value) ? 'end' : undefined) };
}

function allCells(record: object, path = ''): Cell[] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const title = `${path} ${name}`;
    if (isStoredObject(value)) return allCells(value, title);
    return [cellOf(titleOf(title), value)];
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

function itemLines(cells: readonly Cell[]): string[] {
  const width = Math.max(...cells.map(({ title }) => title.length));
  return cells.map(({ title, text }) => title.padEnd(width) + gap + text);
}

/** Prints a line for each item. Columns that may be cut share the space that the others leave. */
function tableLines(items: readonly (readonly Cell[])[]): string[] {
  if (items.length === 0) return ['None.'];
  const titles = [...new Set(items.flatMap((cells) => cells.map(({ title }) => title)))];
  const columns = titles.map((title): Column => {
    const cells = items.map((row) => row.find((cell) => cell.title === title));
    const texts = [title.toUpperCase(), ...cells.map((cell) => cell?.text ?? '-')];
    const cut = cells.find((cell) => cell?.cut !== undefined)?.cut;
    return { cut, texts, width: Math.max(...texts.map(lengthOf)) };
  });
  const widths = fittingWidths(columns);
  return [titles, ...items].map((_, row) =>
    columns
      .map(({ cut, texts }, index) => fit(texts[row] ?? '', widths[index] ?? 0, cut))
      .join(gap)
      .trimEnd(),
  );
}

function fittingWidths(columns: readonly Column[]): number[] {
  // A terminal reports 0 if it does not know its width.
  const space = (process.stdout.columns || defaultWidth) - gap.length * (columns.length - 1);
  const least = columns.map(({ cut, width, texts: [title = ''] }) =>
    cut === undefined ? width : Math.min(width, Math.max(minCutWidth, title.length)),
  );
  const widths = columns.map(({ width }) => width);
  const cutOne = () => {
    const rooms = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const widest = rooms.indexOf(Math.max(...rooms));
    if (rooms[widest] !== 0) widths[widest] = (rooms[widest] ?? 0) - 1;
  };
  const excess = widths.reduce((sum, width) => sum + width, 0) - space;
  for (let left = excess; left > 0; left--) cutOne();
  return widths;
}

function fit(text: string, width: number, cut: Cell['cut']): string {
  const excess = lengthOf(text) - width;
  if (excess <= 0) return text + ' '.repeat(-excess);
  const letters = graphemes(text);
  const kept = width - ellipsis.length;
  const end = cut === 'middle' ? Math.floor(kept / 2) : 0;
  return [...letters.slice(0, kept - end), ellipsis, ...letters.slice(letters.length - end)].join(
    '',
  );
}

/** Counts what a terminal shows in one place, such as a letter with its accents. */
function lengthOf(text: string): number {
  return graphemes(text).length;
}

function graphemes(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  const text = [(value ?? []) as string | readonly string[]].flat().join(', ');
  // Control characters in names of other programs could rewrite lines of the terminal.
  return text.replace(/\p{Cc}/gu, ' ') || '-';
}

export function pluralize(count: number, singular: string, many = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : many}`;
}
