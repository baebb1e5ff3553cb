import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { ReadCatalogue } from './catalogue-file.js';
import type { Catalogue, Fault, Kind, Placed } from './catalogue-records.js';
import { kinds } from './catalogue-records.js';
import { CatalogueStores } from './catalogue-stores.js';

/** One reference of a record: which field, to what. */
interface Reference {
  readonly place: string;
  readonly kind: Kind;
  readonly slug: string;
}

/** Checks what a file's records say of each other and of what is stored. */
@Injectable()
export class CatalogueChecksService {
  constructor(private readonly stores: CatalogueStores) {}

  /** Everything that keeps a catalogue from being stored as it is. */
  async faultsOf(organizationId: Types.ObjectId, file: ReadCatalogue): Promise<Fault[]> {
    const { catalogue } = file;
    return [
      ...kinds.flatMap((kind) => repeated(catalogue[kind], 'slug', ({ record }) => record.slug)),
      ...repeated(catalogue.units, 'recordSystemId', ({ record }) => record.recordSystemId),
      ...repeated(catalogue.units, 'unitId', ({ record }) =>
        JSON.stringify([record.compound, record.unitId]),
      ),
      ...(await this.unknownReferences(organizationId, file)),
      ...(await this.strayPhases(organizationId, catalogue)),
      ...(await this.takenIds(organizationId, catalogue)),
    ];
  }

  private async unknownReferences(
    organizationId: Types.ObjectId,
    { catalogue, slugs: given }: ReadCatalogue,
  ): Promise<Fault[]> {
    const references = referencesOf(catalogue);
    const faults: Fault[] = [];
    for (const kind of kinds) {
      const outside = references.filter(
        ({ kind: to, slug }) => to === kind && !given.get(kind)?.has(slug),
      );
      const slugs = [...new Set(outside.map(({ slug }) => slug))];
      const stored = await this.stores.of(kind).bySlug(organizationId, slugs);
      const unknown = outside.filter(({ slug }) => !stored.has(slug));
      faults.push(
        ...unknown.map(({ place, slug }) => ({
          place,
          message: `there is nothing in ${kind} with slug ${slug}`,
        })),
      );
    }
    return faults;
  }

  /** Units whose phase is one of another compound. */
  private async strayPhases(
    organizationId: Types.ObjectId,
    { phases, units }: Catalogue,
  ): Promise<Fault[]> {
    const compoundOf = new Map(phases.map(({ record }) => [record.slug, record.compound]));
    const outside = units.filter(({ record }) => record.phase && !compoundOf.has(record.phase));
    const stored = await this.stores.phases.bySlug(
      organizationId,
      outside.map(({ record }) => record.phase ?? ''),
    );
    const compounds = await this.stores.compounds.bySlug(
      organizationId,
      outside.map(({ record }) => record.compound),
    );
    const isStray = ({ record: { phase, compound } }: Placed<'units'>) => {
      if (!phase) return false;
      const own = compoundOf.get(phase);
      if (own !== undefined) return own !== compound;
      const parentId = stored.get(phase)?.parentId;
      return parentId !== undefined && !compounds.get(compound)?._id.equals(parentId);
    };
    return units
      .filter(isStray)
      .map(({ place }) => ({ place: `${place}.phase`, message: 'is a phase of another compound' }));
  }

  /** Ids that a stored unit with another slug has. */
  private async takenIds(organizationId: Types.ObjectId, { units }: Catalogue): Promise<Fault[]> {
    const faults: Fault[] = [];
    const compounds = await this.stores.compounds.bySlug(
      organizationId,
      units.map(({ record }) => record.compound),
    );
    for (const field of ['recordSystemId', 'unitId'] as const) {
      const values = units.flatMap(({ record }) => record[field] ?? []);
      const stored = await this.stores.units.having(organizationId, field, values);
      const bearers = Map.groupBy(stored, (unit) => unit[field]);
      for (const { place, record } of units) {
        const compoundId = compounds.get(record.compound)?._id;
        const isTaken = (bearers.get(record[field]) ?? []).some(
          (unit) =>
            unit.slug !== record.slug &&
            (field === 'recordSystemId' || compoundId?.equals(unit.compoundId)),
        );
        const message = 'is that of a stored unit with another slug';
        if (isTaken) faults.push({ place: `${place}.${field}`, message });
      }
    }
    return faults;
  }
}

function repeated<K extends Kind>(
  placed: readonly Placed<K>[],
  field: string,
  keyOf: (item: Placed<K>) => string | undefined,
): Fault[] {
  const first = new Map<string, string>();
  return placed.flatMap((item) => {
    const key = keyOf(item);
    if (key === undefined) return [];
    const before = first.get(key);
    if (before === undefined) first.set(key, item.place);
    return before === undefined
      ? []
      : [{ place: `${item.place}.${field}`, message: `is that of ${before} too` }];
  });
}

function referencesOf({ phases, unitDesigns, units }: Catalogue): Reference[] {
  return [
    ...phases.flatMap(({ place, record }) => one(place, 'compounds', 'compound', record.compound)),
    ...unitDesigns.flatMap(({ place, record }) => [
      ...many(place, 'amenities', record.amenities),
      ...many(place, 'phases', record.phases),
    ]),
    ...units.flatMap(({ place, record }) => [
      ...one(place, 'compounds', 'compound', record.compound),
      ...one(place, 'phases', 'phase', record.phase),
      ...one(place, 'propertyTypes', 'propertyType', record.propertyType),
      ...one(place, 'unitDesigns', 'unitDesign', record.unitDesign),
      ...many(place, 'amenities', record.amenities),
    ]),
  ];
}

function one(
  place: string,
  kind: Kind,
  field: string,
  slug: string | null | undefined,
): Reference[] {
  return slug === null || slug === undefined ? [] : [{ place: `${place}.${field}`, kind, slug }];
}

function many(place: string, kind: Kind, slugs: readonly string[] = []): Reference[] {
  return slugs.map((slug, index) => ({ place: `${place}.${kind}.${index}`, kind, slug }));
}
