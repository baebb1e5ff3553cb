import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type DeclaredReference, referencesOf } from '../fields/declared-fields.js';
import {
  type Catalogue,
  type ImportError,
  type Kind,
  type LocatedEntry,
  entryTypes,
  kinds,
} from './catalogue-entries.js';
import type { CatalogueFile } from './catalogue-file.js';
import { CatalogueImportRepository } from './catalogue-import.repository.js';

/** One reference of an entry: where it is, and what it refers to. */
interface Reference {
  readonly location: string;
  readonly kind: Kind;
  readonly slug: string;
}

/** All references of a catalogue. */
function referencesIn(catalogue: Catalogue): Reference[] {
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

/** Checks what a file's entries say of each other and of what is stored. */
@Injectable()
export class CatalogueChecks {
  constructor(private readonly repository: CatalogueImportRepository) {}

  /** Everything that keeps a catalogue from being stored as it is. */
  async validate(organizationId: Types.ObjectId, file: CatalogueFile): Promise<ImportError[]> {
    const { catalogue } = file;
    return [
      ...kinds.flatMap((kind) => repeated(catalogue[kind], 'slug', ({ entry }) => entry.slug)),
      ...repeated(catalogue.units, 'recordSystemId', ({ entry }) => entry.recordSystemId),
      ...repeated(catalogue.units, 'unitId', ({ entry }) =>
        JSON.stringify([entry.compound, entry.unitId]),
      ),
      ...(await this.unknownReferences(organizationId, file)),
      ...(await this.phasesOfOtherCompounds(organizationId, catalogue)),
      ...(await this.conflictingIds(organizationId, catalogue.units)),
    ];
  }

  private async unknownReferences(
    organizationId: Types.ObjectId,
    { catalogue, slugs: slugsInFile }: CatalogueFile,
  ): Promise<ImportError[]> {
    const references = referencesIn(catalogue);
    const errors: ImportError[] = [];
    for (const kind of kinds) {
      const notInFile = references.filter(
        ({ kind: to, slug }) => to === kind && !slugsInFile.get(kind)?.has(slug),
      );
      const slugs = [...new Set(notInFile.map(({ slug }) => slug))];
      const stored = await this.repository.idsBySlug(kind, organizationId, slugs);
      const unknown = notInFile.filter(({ slug }) => !stored.has(slug));
      errors.push(
        ...unknown.map(({ location, slug }) => ({
          location,
          message: `there is nothing in ${kind} with slug ${slug}`,
        })),
      );
    }
    return errors;
  }

  private async phasesOfOtherCompounds(
    organizationId: Types.ObjectId,
    { phases, units }: Catalogue,
  ): Promise<ImportError[]> {
    const compoundOf = new Map(phases.map(({ entry }) => [entry.slug, entry.compound]));
    const notInFile = units.filter(({ entry }) => entry.phase && !compoundOf.has(entry.phase));
    const parents = await this.repository.phaseParents(
      organizationId,
      notInFile.map(({ entry }) => entry.phase ?? ''),
    );
    const compounds = await this.repository.idsBySlug(
      'compounds',
      organizationId,
      notInFile.map(({ entry }) => entry.compound),
    );
    const isOfOtherCompound = ({ entry: { phase, compound } }: LocatedEntry<'units'>) => {
      if (!phase) return false;
      const own = compoundOf.get(phase);
      if (own !== undefined) return own !== compound;
      const parentId = parents.get(phase);
      return parentId !== undefined && !compounds.get(compound)?.equals(parentId);
    };
    return units.filter(isOfOtherCompound).map(({ location }) => {
      return { location: `${location}.phase`, message: 'is a phase of another compound' };
    });
  }

  /** Ids that a stored unit with another slug has. */
  async conflictingIds(
    organizationId: Types.ObjectId,
    units: readonly LocatedEntry<'units'>[],
  ): Promise<ImportError[]> {
    const errors: ImportError[] = [];
    const compounds = await this.repository.idsBySlug(
      'compounds',
      organizationId,
      units.map(({ entry }) => entry.compound),
    );
    for (const field of ['recordSystemId', 'unitId'] as const) {
      const values = units.flatMap(({ entry }) => entry[field] ?? []);
      const stored = await this.repository.unitsWithId(organizationId, field, values);
      const unitsWithId = Map.groupBy(stored, (unit) => unit[field]);
      for (const { location, entry } of units) {
        const compoundId = compounds.get(entry.compound);
        const isTaken = (unitsWithId.get(entry[field]) ?? []).some(
          (unit) =>
            unit.slug !== entry.slug &&
            (field === 'recordSystemId' || compoundId?.equals(unit.compoundId)),
        );
        const message = 'is that of a stored unit with another slug';
        if (isTaken) errors.push({ location: `${location}.${field}`, message });
      }
    }
    return errors;
  }
}

function repeated<K extends Kind>(
  entries: readonly LocatedEntry<K>[],
  field: string,
  keyOf: (item: LocatedEntry<K>) => string | undefined,
): ImportError[] {
  const first = new Map<string, string>();
  return entries.flatMap((item) => {
    const key = keyOf(item);
    if (key === undefined) return [];
    const before = first.get(key);
    if (before === undefined) first.set(key, item.location);
    return before === undefined
      ? []
      : [{ location: `${item.location}.${field}`, message: `is that of ${before} too` }];
  });
}
