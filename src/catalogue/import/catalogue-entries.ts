import type { Type } from '@nestjs/common';
import { AmenityDocument } from '../collections/amenity.schema.js';
import type { CatalogueDocument } from '../collections/catalogue-document.js';
import { CompoundDocument } from '../collections/compound.schema.js';
import { PhaseDocument } from '../collections/phase.schema.js';
import { PropertyTypeDocument } from '../collections/property-type.schema.js';
import { UnitDesignDocument } from '../collections/unit-design.schema.js';
import { UnitDocument } from '../collections/unit-document.js';

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
