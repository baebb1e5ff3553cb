import type { Type } from '@nestjs/common';
import {
  AmenityDocument,
  PhaseDocument,
  PropertyTypeDocument,
  UnitDesignDocument,
} from '../../catalogue/collections/unit-references.schema.js';
import { CompoundDocument } from '../../catalogue/collections/compound.schema.js';
import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { isPlainObject, objectOf } from '../../core/values/json.js';
import type { DtoClass } from '../../core/http/validation/field.js';
import { checkedDto } from '../../core/http/validation/validation.pipe.js';
import type { LocalizedMessage } from '../../core/localization/messages.service.js';
import type { CatalogueDocument } from '../../catalogue/collections/catalogue-document.js';
import { importClass } from '../../core/fields/derived-classes.js';

/** Referenced kinds first. */
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

/** Entries refer to each other by slug. */
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

export interface LocatedEntry<K extends Kind> {
  readonly location: string;
  readonly entry: K extends 'units' ? UnitEntry : K extends 'phases' ? PhaseEntry : Entry;
}

export type Catalogue = { readonly [K in Kind]: LocatedEntry<K>[] };

export interface ImportError {
  readonly location: string;
  readonly message: string;
}

export interface CatalogueFile {
  readonly catalogue: Catalogue;
  /** Slugs of invalid entries too. */
  readonly slugs: ReadonlyMap<Kind, ReadonlySet<unknown>>;
  readonly errors: readonly ImportError[];
}

const importClasses = Object.fromEntries(
  kinds.map((kind) => [kind, importClass<CatalogueDocument>(entryTypes[kind])]),
) as Readonly<Record<Kind, DtoClass>>;

type Item =
  ImportError | { readonly location: string; readonly kind: Kind; readonly value: unknown };

/** Reads one JSON object with a list for each kind, or one entry a line (NDJSON) with its `kind`. */
export function readCatalogue(
  text: string,
  textOf: (message: LocalizedMessage) => string,
): CatalogueFile {
  const catalogue = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Catalogue;
  const slugs = new Map(kinds.map((kind) => [kind, new Set<unknown>()]));
  const errors: ImportError[] = [];
  for (const item of itemsOf(text.replace(/^\uFEFF/, ''))) {
    if ('message' in item) {
      errors.push(item);
      continue;
    }
    const { location, kind, value } = item;
    slugs.get(kind)?.add(objectOf(value)['slug']);
    if (!isPlainObject(value)) {
      errors.push({ location, message: 'must be an object' });
      continue;
    }
    const { dto: entry, messages } = checkedDto(importClasses[kind], value);
    if (messages.length === 0) {
      (catalogue[kind] as object[]).push({ location, entry });
    }
    for (const { key, values } of messages) {
      // The location names the field.
      const message = textOf({ key, values: { ...values, property: '' } }).trim();
      errors.push({ location: `${location}.${values?.['property']}`, message });
    }
  }
  return { catalogue, slugs, errors };
}

function itemsOf(text: string): Item[] {
  const whole = parse(text);
  if (isPlainObject(whole.value) && !('kind' in whole.value)) {
    return Object.entries(whole.value).flatMap(itemsOfList);
  }
  const lines = text.split('\n').map((line) => line.trim());
  const first = lines.find((line) => line !== '') ?? '';
  if (isPlainObject(parse(first).value)) return lines.flatMap(itemOfLine);
  const message = whole.error ?? 'must be an object with lists, or one object a line';
  return [{ location: 'file', message }];
}

function itemsOfList([name, list]: [string, unknown]): Item | Item[] {
  if (!isKind(name)) return { location: name, message: `is not one of ${kinds.join(', ')}` };
  if (!Array.isArray(list)) return { location: name, message: 'must be a list' };
  return list.map((value: unknown, index) => {
    return { location: `${name}[${index}]`, kind: name, value };
  });
}

function itemOfLine(line: string, index: number): Item | [] {
  if (line === '') return [];
  const location = `line ${index + 1}`;
  const parsed = parse(line);
  if (parsed.error !== undefined) return { location, message: parsed.error };
  if (!isPlainObject(parsed.value)) return { location, message: 'must be an object' };
  const { kind, ...value } = parsed.value;
  if (isKind(kind)) return { location, kind, value };
  return { location: `${location}: kind`, message: `must be one of ${kinds.join(', ')}` };
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
