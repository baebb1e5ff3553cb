import type { UnitDocument } from './collections/unit-document.js';

export type ReferenceKind = 'compounds' | 'phases' | 'amenities' | 'propertyTypes' | 'unitDesigns';

/** A field that requests and imports send as a name or slug, or as a list of them, and documents store as ids. */
export interface Reference<Field extends string = string, Stored extends string = string> {
  readonly field: Field;
  readonly kind: ReferenceKind;
  readonly storedAs: Stored;
}

type UnitReferenceField = 'compound' | 'phase' | 'unitDesign' | 'propertyType' | 'amenities';

export const unitReferences: readonly Reference<UnitReferenceField, keyof UnitDocument>[] = [
  { field: 'compound', kind: 'compounds', storedAs: 'compoundId' },
  { field: 'phase', kind: 'phases', storedAs: 'locationId' },
  { field: 'unitDesign', kind: 'unitDesigns', storedAs: 'unitDesignId' },
  { field: 'propertyType', kind: 'propertyTypes', storedAs: 'propertyTypeId' },
  { field: 'amenities', kind: 'amenities', storedAs: 'amenitiesIds' },
];
