import { objectOf } from '../../database/documents/stored-values.js';
import {
  type Catalogue,
  type Fault,
  type Kind,
  kinds,
  type Placed,
  recordSchemas,
} from './catalogue-records.js';

/** What a file says, and what is wrong with it. */
export interface ReadCatalogue {
  readonly catalogue: Catalogue;
  /** Every slug that the file gives a record, also one that is not valid. */
  readonly slugs: ReadonlyMap<Kind, ReadonlySet<unknown>>;
  readonly faults: readonly Fault[];
}

/** One record before it is checked. */
interface RawRecord {
  readonly place: string;
  readonly kind: Kind;
  readonly value: unknown;
}

/**
 * Reads a catalogue: one JSON object with a list for each kind, or one record a line (NDJSON) with
 * its `kind`.
 */
export function readCatalogue(text: string): ReadCatalogue {
  const faults: Fault[] = [];
  const catalogue = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Catalogue;
  const records = rawRecords(text.replace(/^\uFEFF/, ''), faults);
  for (const record of records) check(record, catalogue, faults);
  const slugsOf = (kind: Kind) =>
    records.filter((record) => record.kind === kind).map(({ value }) => objectOf(value)['slug']);
  const slugs = new Map(kinds.map((kind) => [kind, new Set(slugsOf(kind))]));
  return { catalogue, slugs, faults };
}

function rawRecords(text: string, faults: Fault[]): RawRecord[] {
  const whole = parse(text);
  if (isObject(whole.value) && !('kind' in whole.value)) return fromLists(whole.value, faults);
  const lines = text.split('\n').map((line) => line.trim());
  const first = lines.find((line) => line !== '') ?? '';
  if (isObject(parse(first).value)) return fromLines(lines, faults);
  const message = whole.fault ?? 'must be an object with lists, or one object a line';
  faults.push({ place: 'file', message });
  return [];
}

function fromLists(value: Record<string, unknown>, faults: Fault[]): RawRecord[] {
  return Object.entries(value).flatMap(([name, list]) => {
    if (!isKind(name)) return fault(faults, name, `is none of ${kinds.join(', ')}`);
    if (!Array.isArray(list)) return fault(faults, name, 'must be a list');
    return list.map((item: unknown, index) => {
      return { place: `${name}[${index}]`, kind: name, value: item };
    });
  });
}

function fromLines(lines: readonly string[], faults: Fault[]): RawRecord[] {
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const place = `line ${index + 1}`;
    const { value, fault: message } = parse(line);
    if (message !== undefined) return fault(faults, place, message);
    if (!isObject(value)) return fault(faults, place, 'must be an object');
    const { kind, ...record } = value;
    if (!isKind(kind)) return fault(faults, `${place}: kind`, `must be one of ${kinds.join(', ')}`);
    return [{ place, kind, value: record }];
  });
}

function check({ place, kind, value }: RawRecord, catalogue: Catalogue, faults: Fault[]): void {
  const result = recordSchemas[kind].safeParse(value);
  if (result.success) {
    (catalogue[kind] as Placed<Kind>[]).push({ place, record: result.data });
    return;
  }
  for (const { path, message } of result.error.issues) {
    faults.push({ place: [place, ...path.map(String)].join('.'), message });
  }
}

function parse(text: string): { value?: unknown; fault?: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKind(name: unknown): name is Kind {
  return kinds.some((kind) => kind === name);
}

function fault(faults: Fault[], place: string, message: string): [] {
  faults.push({ place, message });
  return [];
}
