import { type DeclaredReference, referencesOf } from '../fields/declared-fields.js';
import { type Catalogue, entryTypes, type Kind, kinds } from './catalogue-entries.js';

/** One reference of an entry: where it is, and what it refers to. */
interface Reference {
  readonly location: string;
  readonly kind: Kind;
  readonly slug: string;
}

/** All references of a catalogue. */
export function referencesIn(catalogue: Catalogue): Reference[] {
  return kinds.flatMap((from) =>
    catalogue[from].flatMap((entry) =>
      referencesOf(entryTypes[from]).flatMap((reference) => referencesOfEntry(entry, reference)),
    ),
  );
}

function referencesOfEntry(
  { location, entry }: { readonly location: string; readonly entry: object },
  { field, kind }: DeclaredReference,
): Reference[] {
  const value = (entry as Readonly<Record<string, unknown>>)[field];
  return slugsOf(value).map((slug, index) => {
    const path = Array.isArray(value) ? `${field}.${index}` : field;
    return { location: `${location}.${path}`, kind, slug };
  });
}

/** The slugs of a reference field's value, which is one, several, or null for none. */
export function slugsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? (value as string[]) : [];
}
