import type { Type } from '@nestjs/common';
import { AmenityDocument } from '../collections/amenity.schema.js';
import { CompoundDocument } from '../collections/compound.schema.js';
import { PhaseDocument } from '../collections/phase.schema.js';
import { PropertyTypeDocument } from '../collections/property-type.schema.js';
import { UnitDesignDocument } from '../collections/unit-design.schema.js';
import { UnitDocument } from '../collections/unit-document.js';
import { isPlainObject, objectOf } from '../../core/values/plain-object.js';
import type { DtoClass } from '../../core/http/validation/field.js';
import { checkedDto } from '../../core/http/validation/validation.pipe.js';
import type { Message } from '../../core/localization/messages.service.js';
import type { CatalogueDocument } from '../collections/catalogue-document.js';
import { importClass } from '../fields/derived-classes.js';

/** The kinds of entries and the documents that they become, first those that others refer to. */
export const entryTypes = {
  propertyTypes: PropertyTypeDocument,
  amenities: AmenityDocument,
  compounds: CompoundDocument,
  phases: PhaseDocument,
  unitDesigns: UnitDesignDocument,
  units: UnitDocument,
} as const satisfies Record<string, Type<CatalogueDocument>>;

export type Kind = keyof typeof entryTypes;
export const kinds = Object.keys(entryTypes) as Kind[];

/** A valid entry: the fields of its document, which name other entries by their slugs. */
interface Entry extends Readonly<Record<string, unknown>> {
  readonly slug: string;
}

interface PhaseEntry extends Entry {
  readonly compound: string;
}

interface UnitEntry extends PhaseEntry {
  readonly phase?: string | null;
  readonly unitId: string;
  readonly recordSystemId?: string;
}

/** An entry of a file, and its location in the file. */
export interface LocatedEntry<K extends Kind> {
  readonly location: string;
  readonly entry: K extends 'units' ? UnitEntry : K extends 'phases' ? PhaseEntry : Entry;
}

/** Everything that a file holds. */
export type Catalogue = { readonly [K in Kind]: LocatedEntry<K>[] };

/** An error that keeps a file from being imported, and its location. */
export interface ImportError {
  readonly location: string;
  readonly message: string;
}

/** A catalogue, and what is wrong with it. */
export interface CatalogueFile {
  readonly catalogue: Catalogue;
  /** Every slug that the file gives an entry, also one that is not valid. */
  readonly slugs: ReadonlyMap<Kind, ReadonlySet<unknown>>;
  readonly errors: readonly ImportError[];
}

/** The text of a message for the person who imports. */
type TextOf = (message: Message) => string;

const importClasses = Object.fromEntries(
  kinds.map((kind) => [kind, importClass<CatalogueDocument>(entryTypes[kind])]),
) as Readonly<Record<Kind, DtoClass>>;

/** One entry before it is validated. */
interface RawEntry {
  readonly location: string;
  readonly kind: Kind;
  readonly value: unknown;
}

/**
 * Reads a catalogue: one JSON object with a list for each kind, or one entry a line (NDJSON) with
 * its `kind`.
 */
export function readCatalogue(text: string, textOf: TextOf): CatalogueFile {
  const errors: ImportError[] = [];
  return validated(rawEntries(text.replace(/^\uFEFF/, ''), errors), errors, textOf);
}

/** Reads a catalogue that is parsed already: an object with a list for each kind. */
export function catalogueOf(
  lists: Readonly<Record<string, unknown>>,
  textOf: TextOf,
): CatalogueFile {
  const errors: ImportError[] = [];
  return validated(fromLists(lists, errors), errors, textOf);
}

function validated(
  entries: readonly RawEntry[],
  errors: ImportError[],
  textOf: TextOf,
): CatalogueFile {
  const catalogue = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Catalogue;
  const slugs = new Map(kinds.map((kind) => [kind, new Set<unknown>()]));
  for (const entry of entries) {
    slugs.get(entry.kind)?.add(objectOf(entry.value)['slug']);
    validate(entry, catalogue, errors, textOf);
  }
  return { catalogue, slugs, errors };
}

function rawEntries(text: string, errors: ImportError[]): RawEntry[] {
  const whole = parse(text);
  if (isPlainObject(whole.value) && !('kind' in whole.value)) return fromLists(whole.value, errors);
  const lines = text.split('\n').map((line) => line.trim());
  const first = lines.find((line) => line !== '') ?? '';
  if (isPlainObject(parse(first).value)) return fromLines(lines, errors);
  const message = whole.error ?? 'must be an object with lists, or one object a line';
  errors.push({ location: 'file', message });
  return [];
}

function fromLists(value: Record<string, unknown>, errors: ImportError[]): RawEntry[] {
  return Object.entries(value).flatMap(([name, list]) => {
    if (!isKind(name)) return addError(errors, name, `is none of ${kinds.join(', ')}`);
    if (!Array.isArray(list)) return addError(errors, name, 'must be a list');
    return list.map((item: unknown, index) => {
      return { location: `${name}[${index}]`, kind: name, value: item };
    });
  });
}

function fromLines(lines: readonly string[], errors: ImportError[]): RawEntry[] {
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const location = `line ${index + 1}`;
    const { value, error: message } = parse(line);
    if (message !== undefined) return addError(errors, location, message);
    if (!isPlainObject(value)) return addError(errors, location, 'must be an object');
    const { kind, ...entry } = value;
    if (!isKind(kind))
      return addError(errors, `${location}: kind`, `must be one of ${kinds.join(', ')}`);
    return [{ location, kind, value: entry }];
  });
}

function validate(
  { location, kind, value }: RawEntry,
  catalogue: Catalogue,
  errors: ImportError[],
  textOf: TextOf,
): void {
  if (!isPlainObject(value)) return void addError(errors, location, 'must be an object');
  const { dto, messages } = checkedDto(importClasses[kind], value);
  if (messages.length === 0) {
    (catalogue[kind] as LocatedEntry<Kind>[]).push({ location, entry: dto } as LocatedEntry<Kind>);
    return;
  }
  for (const { key, values } of messages) {
    // The location names the field.
    const message = textOf({ key, values: { ...values, property: '' } }).trim();
    errors.push({ location: `${location}.${values?.['property']}`, message });
  }
}

function parse(text: string): { value?: unknown; error?: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function isKind(name: unknown): name is Kind {
  return kinds.some((kind) => kind === name);
}

function addError(errors: ImportError[], location: string, message: string): [] {
  errors.push({ location, message });
  return [];
}
