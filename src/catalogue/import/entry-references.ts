import { type Catalogue, type Kind, kinds } from './catalogue-entries.js';

/** A field of entries that refers to others by their slugs, and the field that stores their ids. */
interface ReferenceField {
  readonly field: string;
  readonly kind: Kind;
  readonly storedAs: string;
}

/** How entries refer to each other. */
export const referenceFields: Readonly<Record<Kind, readonly ReferenceField[]>> = {
  propertyTypes: [],
  amenities: [],
  compounds: [],
  phases: [{ field: 'compound', kind: 'compounds', storedAs: 'parentId' }],
  unitDesigns: [
    { field: 'amenities', kind: 'amenities', storedAs: 'amenitiesIds' },
    { field: 'phases', kind: 'phases', storedAs: 'locationsIds' },
  ],
  units: [
    { field: 'compound', kind: 'compounds', storedAs: 'compoundId' },
    { field: 'phase', kind: 'phases', storedAs: 'locationId' },
    { field: 'propertyType', kind: 'propertyTypes', storedAs: 'propertyTypeId' },
    { field: 'unitDesign', kind: 'unitDesigns', storedAs: 'unitDesignId' },
    { field: 'amenities', kind: 'amenities', storedAs: 'amenitiesIds' },
  ],
};

/** One reference of an entry: where it is, and what it refers to. */
interface Reference {
  readonly location: string;
  readonly kind: Kind;
  readonly slug: string;
}

/** All references of a catalogue. */
export function referencesOf(catalogue: Catalogue): Reference[] {
  return kinds.flatMap((from) =>
    catalogue[from].flatMap((entry) =>
      referenceFields[from].flatMap((reference) => referencesIn(entry, reference)),
    ),
  );
}

function referencesIn(
  { location, entry }: { readonly location: string; readonly entry: object },
  { field, kind }: ReferenceField,
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
