import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { FreshCache } from '../core/cache/fresh-cache.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import { notDeleted } from '../core/database/documents/tenant-document.js';
import type {
  Projection,
  TenantFilter,
  Tenants,
} from '../core/database/documents/tenant-queries.js';
import { caseCandidates, caseSpellings, foldCase } from '../core/localization/fold-case.js';
import { languages } from '../core/localization/language.js';
import type { Localized } from '../core/localization/localized.js';
import type { AmenityDocument } from './collections/amenity.schema.js';
import type { CatalogueDocument } from './collections/catalogue-document.js';
import type { CompoundDocument } from './collections/compound.schema.js';
import type { PhaseDocument } from './collections/phase.schema.js';
import type { PropertyTypeDocument } from './collections/property-type.schema.js';
import type { UnitDesignDocument } from './collections/unit-design.schema.js';
import type { UnitDocument } from './collections/unit-document.js';
import type { ReferenceKind } from './fields/declared-fields.js';

/** A kind of document of the catalogue: the name of its collection. */
export type CatalogueKind = ReferenceKind | 'units';

type Ids = readonly Types.ObjectId[];
type Texts = readonly string[];

const allKinds: readonly CatalogueKind[] = [
  'compounds',
  'phases',
  'amenities',
  'propertyTypes',
  'unitDesigns',
  'units',
];
const oldestFirst = { sort: { _id: 1 } } as const;
/** Requests name them by slug; other documents have short names, which serve too. */
const slugKinds: readonly CatalogueKind[] = ['compounds', 'phases', 'unitDesigns'];

/** The queries on all collections of the catalogue: by id, slug or name, and by the time of a change. */
@Injectable()
export class CatalogueRepository {
  private readonly collections: Readonly<
    Record<CatalogueKind, Pick<TenantCollection<CatalogueDocument>, 'find' | 'findOne' | 'write'>>
  >;

  constructor(
    @InjectCollection('Compound') compounds: TenantCollection<CompoundDocument>,
    @InjectCollection('Phase') private readonly phases: TenantCollection<PhaseDocument>,
    @InjectCollection('Amenity') amenities: TenantCollection<AmenityDocument>,
    @InjectCollection('PropertyType') propertyTypes: TenantCollection<PropertyTypeDocument>,
    @InjectCollection('UnitDesign') unitDesigns: TenantCollection<UnitDesignDocument>,
    @InjectCollection('Unit') units: TenantCollection<UnitDocument>,
    private readonly cache: FreshCache,
  ) {
    this.collections = { compounds, phases, amenities, propertyTypes, unitDesigns, units };
  }

  async findByIds(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    ids: Ids,
  ): Promise<CatalogueDocument[]> {
    return this.collections[kind].find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }

  /** The documents with slugs, the oldest first; all their fields, or some. */
  async findBySlugs(
    kind: CatalogueKind,
    organizationId: Types.ObjectId,
    slugs: Texts,
    projection: Projection<CatalogueDocument> = {},
  ): Promise<CatalogueDocument[]> {
    if (slugs.length === 0) return [];
    const filter = { slug: { $in: slugs }, ...notDeleted };
    return this.collections[kind].find(organizationId, filter, { ...oldestFirst, ...projection });
  }

  /** The ids of documents by their slugs; of several with one slug, that of the oldest. */
  async idsBySlugs(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    slugs: Texts,
  ): Promise<ReadonlyMap<string, Types.ObjectId>> {
    const documents = await this.findBySlugs(kind, organizationId, slugs, { fields: ['slug'] });
    return new Map(documents.toReversed().map(({ slug, _id }) => [slug ?? '', _id]));
  }

  /** The phases with slugs, the oldest first, of all compounds or some. */
  async phasesBySlugs(
    organizationId: Types.ObjectId,
    slugs: Texts,
    parentIds?: Ids,
  ): Promise<Pick<PhaseDocument, '_id' | 'parentId' | 'slug'>[]> {
    if (slugs.length === 0) return [];
    const parents = parentIds && { parentId: { $in: parentIds } };
    const filter = { slug: { $in: slugs }, ...parents, ...notDeleted };
    const options = { ...oldestFirst, fields: ['parentId', 'slug'] } as const;
    return this.phases.find(organizationId, filter, options);
  }

  /**
   * For each name, the documents that have it in any case and language. Of slugs, one in the same case
   * comes first.
   */
  async idsByNames(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    names: Texts,
  ): Promise<Ids[]> {
    const projection = { fields: ['name', 'slug'] } as const;
    const same = slugKinds.includes(kind)
      ? await this.findBySlugs(kind, organizationId, names, projection)
      : [];
    const bySlug = Map.groupBy(same, ({ slug }) => slug);
    const others = names.filter((name) => !bySlug.has(name));
    const candidates = await this.candidates(kind, organizationId, others);
    return names.map((name) => {
      const found = bySlug.get(name) ?? candidates.filter((one) => isNamed(kind, one, name));
      return found.map(({ _id }) => _id);
    });
  }

  /** Documents that may have one of the names: the collation finds more than the folding of case. */
  private async candidates(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    names: Texts,
  ): Promise<CatalogueDocument[]> {
    if (names.length === 0) return [];
    const texts = { $in: names.flatMap(caseSpellings) };
    const inLanguages = languages.map((language) => ({ [`name.${language}`]: texts }));
    const named = slugKinds.includes(kind)
      ? { slug: texts }
      : { $or: [{ slug: texts }, ...inLanguages] };
    return this.collections[kind].find(
      organizationId,
      { ...named, ...notDeleted },
      { ...oldestFirst, fields: ['name', 'slug'], collation: caseCandidates },
    );
  }

  /** The names of compounds by their ids; of several organizations for the operator. */
  async compoundNames(
    organizationIds: Tenants,
    ids: Ids,
  ): Promise<ReadonlyMap<string, Partial<Localized>>> {
    if (ids.length === 0) return new Map();
    const filter = { _id: { $in: ids } };
    const found = await this.collections.compounds.find(organizationIds, filter, {
      fields: ['name'],
    });
    return new Map(found.map(({ _id, name }) => [_id.toHexString(), name ?? {}]));
  }

  /** The ids of documents that were changed or deleted since a time, at most so many of each. */
  async idsChangedSince(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    since: Date,
    limit: number,
  ): Promise<Ids> {
    const options = { fields: ['_id'], limit } as const;
    // Two queries: for `$or` the server does not take the index of deletions.
    const [updated, deleted] = await Promise.all([
      this.collections[kind].find(organizationId, { updatedAt: { $gte: since } }, options),
      this.collections[kind].find(organizationId, { deletedAt: { $gte: since } }, options),
    ]);
    const changed = new Map([...updated, ...deleted].map(({ _id }) => [_id.toHexString(), _id]));
    return [...changed.values()];
  }

  /**
   * The filter on documents that were changed or deleted since a time, or match an alternative. Mostly
   * it is a range of `updatedAt`, which has an index.
   */
  async changedSince<T extends CatalogueDocument>(
    kind: CatalogueKind,
    organizationId: Types.ObjectId,
    since: Date,
    alternatives: readonly TenantFilter<T>[] = [],
  ): Promise<TenantFilter<T>> {
    // Another program may delete by `deletedAt` without setting `updatedAt`.
    const onlyDeleted = { deletedAt: { $gte: since }, updatedAt: { $lt: since } };
    const tombstone = await this.collections[kind].findOne(organizationId, onlyDeleted, {
      fields: ['_id'],
    });
    const updated = { updatedAt: { $gte: since } };
    if (alternatives.length === 0 && tombstone === null) return updated as TenantFilter<T>;
    const $or = [updated, { deletedAt: { $gte: since } }, ...alternatives];
    return { $or } as TenantFilter<T>;
  }

  /** When a document of some kinds was changed or deleted last; the beginning of time for none. */
  async newestChange(
    organizationId: Types.ObjectId,
    kinds: readonly CatalogueKind[] = allKinds,
  ): Promise<Date> {
    return this.cache.get(organizationId, `newest change ${kinds.join()}`, async () => {
      const newest = kinds.flatMap((kind) =>
        (['updatedAt', 'deletedAt'] as const).map(async (field) => {
          const filter = { [field]: { $gte: new Date(0) } };
          const options = { sort: { [field]: -1 }, fields: [field] } as const;
          const document = await this.collections[kind].findOne(organizationId, filter, options);
          return document?.[field]?.getTime() ?? 0;
        }),
      );
      return new Date(Math.max(0, ...(await Promise.all(newest))));
    });
  }

  /** Stores new documents and changed fields of others. */
  async write(
    kind: CatalogueKind,
    ...write: Parameters<TenantCollection<CatalogueDocument>['write']>
  ): Promise<void> {
    await this.collections[kind].write(...write);
  }
}

function isNamed(kind: ReferenceKind, { slug, name }: CatalogueDocument, text: string): boolean {
  const key = foldCase(text);
  const names = slugKinds.includes(kind) ? [] : languages.map((language) => name?.[language]);
  const slugs = kind === 'amenities' ? [] : [slug];
  return [...slugs, ...names].some((one) => foldCase(one ?? '') === key);
}
