import { type Language, type Localized, localizedText } from '../../core/localization/language.js';

export type Severity = 'good' | 'warn' | 'bad' | 'note';

/** Folders of records with pages; null stands for a path such as `/leads/<organization>/<id>`. */
const folders = {
  lead: null,
  reservation: null,
  unit: null,
  endpoint: 'webhooks',
  delivery: 'webhooks/deliveries',
  key: 'partners',
} as const;

type RecordKind = keyof typeof folders;

interface Values {
  readonly text: string | number | readonly string[];
  readonly code: string | number | readonly string[];
  readonly time: Date | string;
  readonly day: Date | string;
  readonly number: number;
  readonly duration: number;
  /** The console masks parts that may be secret. */
  readonly url: string;
  readonly name: Partial<Localized> | readonly Partial<Localized>[];
  readonly status: string;
  /** The console masks this value until a reader asks for it. */
  readonly personal: unknown;
}

type Value<Kind extends keyof Values> = Values[Kind] | null | undefined;

interface ViewFieldOptions<T> {
  /** Makes the console link the value, which is the id of such a record. */
  readonly record?: RecordKind;
  /** Path below `/console` with details. */
  to?(item: T, organizationId: string): string | null;
  /** Text in brackets after the value. */
  note?(item: T): string | number | null;
  /** Where the command line shortens a long value if its kind does not say so. */
  readonly cut?: 'middle';
  severity?(item: T): Severity | undefined;
}

interface FieldOf<T, Kind extends keyof Values> extends ViewFieldOptions<T> {
  readonly title: string;
  readonly kind: Kind;
  of(item: T): Value<Kind>;
}

/** Defines a title and a value for both console and command line. */
export type ViewField<T> = { [Kind in keyof Values]: FieldOf<T, Kind> }[keyof Values];

/** @param of name of a property, or a function of the item */
export function field<Name extends string, Kind extends keyof Values>(
  kind: Kind,
  title: string,
  of: Name,
  extras?: ViewFieldOptions<{ readonly [N in Name]?: Value<Kind> }>,
): FieldOf<{ readonly [N in Name]?: Value<Kind> }, Kind>;
export function field<T, Kind extends keyof Values>(
  kind: Kind,
  title: string,
  of: (item: T) => Value<Kind>,
  extras?: ViewFieldOptions<T>,
): FieldOf<T, Kind>;
export function field<T, Kind extends keyof Values>(
  kind: Kind,
  title: string,
  of: keyof T | ((item: T) => Value<Kind>),
  extras: ViewFieldOptions<T> = {},
) {
  const value = typeof of === 'function' ? of : (item: T) => item[of] as Value<Kind>;
  return { kind, title, of: value, ...extras };
}

/** Returns the path below the console's address, or null for records without a page. */
export function recordPath(kind: string, organizationId: string, id: string | null): string | null {
  if (id === null || !isRecordKind(kind)) return null;
  return `/${folders[kind] ?? `${kind}s/${organizationId}`}/${id}`;
}

function isRecordKind(kind: string): kind is RecordKind {
  return Object.hasOwn(folders, kind);
}

export function eventPath(type: string, organizationId: string, id: string | null): string | null {
  return recordPath(type.replace(/\..*$/, ''), organizationId, id);
}

export function pathOf<T>(shown: ViewField<T>, item: T, organizationId: string): string | null {
  if (shown.record === undefined) return shown.to?.(item, organizationId) ?? null;
  const id = shown.of(item);
  return typeof id === 'string' ? recordPath(shown.record, organizationId, id) : null;
}

/** Formats in English and without masks, for a terminal. */
export function plainValue<T>(shown: ViewField<T>, item: T) {
  const value = valueOf(shown, item);
  const note = shown.note?.(item) ?? null;
  return note === null ? value : `${String(value ?? '')} (${note})`.trimStart();
}

function valueOf<T>(shown: ViewField<T>, item: T) {
  if (shown.kind === 'time') return withoutFraction(shown.of(item));
  if (shown.kind === 'day') return dayOf(shown.of(item));
  if (shown.kind === 'personal') return plainText(shown.of(item));
  if (shown.kind === 'name') return namesIn(shown.of(item), 'en-us');
  if (shown.kind === 'duration') return `${shown.of(item) ?? '–'} ms`;
  return shown.of(item);
}

function withoutFraction(time: Date | string | null | undefined) {
  return (time instanceof Date ? time.toISOString() : time)?.replace(/\.\d+Z$/, 'Z');
}

/** Formats `2026-01-31`; other programs may have stored a string that is not a time. */
export function dayOf(value: Date | string | null | undefined): string | undefined {
  return (value instanceof Date ? value.toISOString() : value)?.slice(0, 10);
}

export function namesIn(
  names: Partial<Localized> | readonly Partial<Localized>[] | null | undefined,
  language: Language,
): string[] {
  return [names ?? []].flat().map((name) => localizedText(name, language));
}

function plainText(value: unknown): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}
