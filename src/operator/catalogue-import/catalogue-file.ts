import { isPlainObject, asObject } from '../../core/values/json.js';
import type { DtoClass } from '../../core/validation/dto-reader.js';
import { validatedDto } from '../../core/validation/validate-dto.js';
import type { LocalizedMessage } from '../../core/localization/messages.service.js';
import { type Reference, unitReferences } from '../../catalogue/references.js';
import {
  AmenityEntry,
  CompoundEntry,
  PhaseEntry,
  PropertyTypeEntry,
  UnitDesignEntry,
  UnitEntry,
} from './catalogue-entries.dto.js';

/** Sorted so that each kind comes after the kinds that it refers to, whose ids then exist. */
const entryTypes = {
  propertyTypes: PropertyTypeEntry,
  amenities: AmenityEntry,
  compounds: CompoundEntry,
  phases: PhaseEntry,
  unitDesigns: UnitDesignEntry,
  units: UnitEntry,
} as const satisfies Record<string, DtoClass>;

export type EntryKind = keyof typeof entryTypes;
export const entryKinds = Object.keys(entryTypes) as EntryKind[];

/** Entries refer to each other by slug. */
interface Entry extends Readonly<Record<string, unknown>> {
  readonly slug: string;
  readonly compound?: string;
  readonly phase?: string | null;
  readonly unitId?: string;
  readonly recordSystemId?: string;
}

export interface LocatedEntry {
  readonly location: string;
  readonly entry: Entry;
}

export type Catalogue = Readonly<Record<EntryKind, LocatedEntry[]>>;

export interface ImportError {
  readonly location: string;
  readonly message: string;
}

export interface CatalogueFile {
  readonly catalogue: Catalogue;
  /** Includes invalid entries. */
  readonly slugs: ReadonlyMap<EntryKind, ReadonlySet<unknown>>;
  readonly errors: readonly ImportError[];
}

/** Entries of other kinds refer to none. */
export const entryReferences: Readonly<Partial<Record<EntryKind, readonly Reference[]>>> = {
  phases: [{ field: 'compound', kind: 'compounds', storedAs: 'parentId' }],
  unitDesigns: [
    { field: 'amenities', kind: 'amenities', storedAs: 'amenitiesIds' },
    { field: 'phases', kind: 'phases', storedAs: 'locationsIds' },
  ],
  units: unitReferences,
};

type ParsedItem =
  ImportError | { readonly location: string; readonly kind: EntryKind; readonly value: unknown };

/** Reads one JSON object with a list per kind, or NDJSON with one entry and its `kind` per line. */
export function readCatalogue(
  text: string,
  textOf: (message: LocalizedMessage) => string,
): CatalogueFile {
  const catalogue = Object.fromEntries(
    entryKinds.map((kind) => [kind, []]),
  ) as unknown as Catalogue;
  const slugs = new Map(entryKinds.map((kind) => [kind, new Set<unknown>()]));
  const errors: ImportError[] = [];
  for (const item of parseItems(text.replace(/^\uFEFF/, ''))) {
    if ('message' in item) {
      errors.push(item);
      continue;
    }
    const { location, kind, value } = item;
    slugs.get(kind)?.add(asObject(value)['slug']);
    if (!isPlainObject(value)) {
      errors.push({ location, message: 'must be an object' });
      continue;
    }
    const { dto: entry, messages } = validatedDto(entryTypes[kind], value);
    if (messages.length === 0) catalogue[kind].push({ location, entry: entry as Entry });
    for (const { key, values } of messages) {
      // The location already names the field.
      const message = textOf({ key, values: { ...values, property: '' } }).trim();
      errors.push({ location: `${location}.${values?.['property']}`, message });
    }
  }
  return { catalogue, slugs, errors };
}

function* parseItems(text: string): Generator<ParsedItem, void> {
  const whole = parse(text);
  const lines = text.split('\n').map((line) => line.trim());
  if (isPlainObject(whole.value) && !('kind' in whole.value)) {
    for (const [kind, list] of Object.entries(whole.value)) {
      if (!isKind(kind))
        yield { location: kind, message: `is not one of ${entryKinds.join(', ')}` };
      else if (!Array.isArray(list)) yield { location: kind, message: 'must be a list' };
      else
        yield* list.map((value: unknown, index) => ({
          location: `${kind}[${index}]`,
          kind,
          value,
        }));
    }
  } else if (isPlainObject(parse(lines.find((line) => line !== '') ?? '').value)) {
    for (const [index, line] of lines.entries()) {
      if (line === '') continue;
      const location = `line ${index + 1}`;
      const { error, value } = parse(line);
      const { kind, ...entry } = asObject(value);
      if (error !== undefined) yield { location, message: error };
      else if (isKind(kind)) yield { location, kind, value: entry };
      else
        yield { location: `${location}: kind`, message: `must be one of ${entryKinds.join(', ')}` };
    }
  } else {
    const isJson = /^\s*[[{]/.test(text);
    const malformed = isJson
      ? whole.error
      : 'is neither JSON nor NDJSON. Convert each row of a CSV file to a line with a JSON object and its "kind"';
    const message =
      malformed ?? 'must be a JSON object with lists, or NDJSON with one object per line';
    yield { location: 'file', message };
  }
}

function parse(text: string): { value?: unknown; error?: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function isKind(name: unknown): name is EntryKind {
  return entryKinds.some((kind) => kind === name);
}
