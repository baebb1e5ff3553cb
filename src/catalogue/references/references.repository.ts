import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter } from '../../core/database/documents/tenant-filter.js';
import type { Tenants } from '../../core/database/documents/tenant-operations.js';
import { caseCandidates, foldCase, caseSpellings } from '../../core/localization/fold-case.js';
import { languages } from '../../core/localization/language.js';
import type { Localized } from '../../core/localization/localized.js';
import type { AmenityDocument } from '../collections/amenity.schema.js';
import type { CatalogueDocument } from '../collections/catalogue-document.js';
import type { CompoundDocument } from '../collections/compound.schema.js';
import type { PhaseDocument } from '../collections/phase.schema.js';
import type { PropertyTypeDocument } from '../collections/property-type.schema.js';
import type { UnitDesignDocument } from '../collections/unit-design.schema.js';
import type { ReferenceKind } from '../fields/declared-fields.js';

type Ids = readonly Types.ObjectId[];
type Named = Pick<CatalogueDocument, '_id' | 'name' | 'slug'>;

const oldestFirst = { sort: { _id: 1 } } as const;
const inAnyCase = {
  ...oldestFirst,
  fields: ['name', 'slug'],
  collation: caseCandidates,
} as const;

/** The queries on what units refer to: by id, by slug, and by the names that people use. */
@Injectable()
export class ReferencesRepository {
  private readonly collections: Readonly<
    Record<ReferenceKind, Pick<TenantCollection<CatalogueDocument>, 'find' | 'findOne'>>
  >;

  constructor(
    @InjectCollection('Compound') compounds: TenantCollection<CompoundDocument>,
    @InjectCollection('Phase') private readonly phases: TenantCollection<PhaseDocument>,
    @InjectCollection('Amenity') private readonly amenities: TenantCollection<AmenityDocument>,
    @InjectCollection('PropertyType')
    private readonly propertyTypes: TenantCollection<PropertyTypeDocument>,
    @InjectCollection('UnitDesign') unitDesigns: TenantCollection<UnitDesignDocument>,
  ) {
    this.collections = { compounds, phases, amenities, propertyTypes, unitDesigns };
  }

  async findByIds(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    ids: Ids,
  ): Promise<CatalogueDocument[]> {
    return this.collections[kind].find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }

  /** The names of compounds by their ids, of several organizations for the operator. */
  async compoundNames(
    organizationIds: Tenants,
    ids: Ids,
  ): Promise<ReadonlyMap<string, Partial<Localized>>> {
    if (ids.length === 0) return new Map();
    const { compounds } = this.collections;
    const found = await compounds.find(
      organizationIds,
      { _id: { $in: ids } },
      { fields: ['name'] },
    );
    return new Map(found.map(({ _id, name }) => [_id.toHexString(), name ?? {}]));
  }

  /** The documents, deleted ones included, that were changed or deleted since a time; some of them. */
  async idsChangedSince(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    since: Date,
    limit: number,
  ): Promise<Ids> {
    const options = { fields: ['_id'], limit } as const;
    // By themselves: for an alternative the server does not take the index of deletions.
    const [updated, deleted] = await Promise.all([
      this.collections[kind].find(organizationId, { updatedAt: { $gte: since } }, options),
      this.collections[kind].find(organizationId, { deletedAt: { $gte: since } }, options),
    ]);
    const changed = new Map([...updated, ...deleted].map(({ _id }) => [_id.toHexString(), _id]));
    return [...changed.values()];
  }

  /** When a document of any kind was changed last. */
  async newestChange(organizationId: Types.ObjectId): Promise<Date> {
    return newestChange(Object.values(this.collections), organizationId);
  }

  /** For each slug the documents that have it; where none has it as it is, in any case. */
  async idsOfSlugs(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    slugs: readonly string[],
  ): Promise<Ids[]> {
    const withSlugs = async (texts: readonly string[], options: object) =>
      texts.length === 0
        ? []
        : this.collections[kind].find(
            organizationId,
            { slug: { $in: texts }, ...notDeleted },
            { ...options, ...oldestFirst, fields: ['name', 'slug'] },
          );
    const same = Map.groupBy(await withSlugs(slugs, {}), ({ slug }) => slug);
    const others = await withSlugs(
      slugs.filter((slug) => !same.has(slug)),
      { collation: caseCandidates },
    );
    return slugs.map(
      (slug) =>
        same.get(slug)?.map(({ _id }) => _id) ??
        idsNamed(others, slug, (document) => [document.slug]),
    );
  }

  /** The document with a slug, null when there is none. */
  async idBySlug(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    slug: string,
  ): Promise<Types.ObjectId | null> {
    const filter = { slug, ...notDeleted };
    const document = await this.collections[kind].findOne(organizationId, filter, oldestFirst);
    return document?._id ?? null;
  }

  /** The ids of documents with slugs, by these; of several with one slug the oldest. */
  async idsBySlugs(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    slugs: readonly string[],
  ): Promise<ReadonlyMap<string, Types.ObjectId>> {
    if (slugs.length === 0) return new Map();
    const filter = { slug: { $in: slugs }, ...notDeleted };
    const options = { ...oldestFirst, fields: ['slug'] } as const;
    const documents = await this.collections[kind].find(organizationId, filter, options);
    return new Map(documents.toReversed().map(({ slug, _id }) => [slug ?? '', _id]));
  }

  /** The phases of compounds with slugs, the oldest first. */
  async phasesBySlugs(
    organizationId: Types.ObjectId,
    parentIds: Ids,
    slugs: readonly string[],
  ): Promise<Pick<PhaseDocument, '_id' | 'parentId' | 'slug'>[]> {
    if (slugs.length === 0) return [];
    const filter = { slug: { $in: slugs }, parentId: { $in: parentIds }, ...notDeleted };
    const options = { ...oldestFirst, fields: ['parentId', 'slug'] } as const;
    return this.phases.find(organizationId, filter, options);
  }

  /** For each name the amenities that have it, in any language and case. */
  async amenityIdsByNames(
    organizationId: Types.ObjectId,
    names: readonly string[],
  ): Promise<Ids[]> {
    const filter = { $or: named(names), ...notDeleted };
    const amenities = await this.amenities.find(organizationId, filter, inAnyCase);
    return names.map((name) => idsNamed(amenities, name, namesOf));
  }

  /** For each name or slug the property types that have it, in any language and case. */
  async propertyTypeIdsByNames(
    organizationId: Types.ObjectId,
    names: readonly string[],
  ): Promise<Ids[]> {
    const slugged = { slug: { $in: names.flatMap(caseSpellings) } };
    const filter = { $or: [...named(names), slugged], ...notDeleted };
    const types = await this.propertyTypes.find(organizationId, filter, inAnyCase);
    return names.map((name) => idsNamed(types, name, (type) => [type.slug, ...namesOf(type)]));
  }
}

function named(names: readonly string[]): TenantFilter<CatalogueDocument>[] {
  const $in = names.flatMap(caseSpellings);
  return languages.map((language) => ({ [`name.${language}`]: { $in } }));
}

/** The collation finds more than the folding of case means, so each name is compared again. */
function idsNamed(
  documents: readonly Named[],
  name: string,
  textsOf: (document: Named) => readonly (string | undefined)[],
): Ids {
  const key = foldCase(name);
  return documents
    .filter((document) => textsOf(document).some((text) => foldCase(text ?? '') === key))
    .map(({ _id }) => _id);
}

function namesOf({ name }: Named): (string | undefined)[] {
  return languages.map((language) => name?.[language]);
}

type Changing = Pick<TenantCollection<CatalogueDocument>, 'findOne'>;

const times = ['updatedAt', 'deletedAt'] as const;

/** When any of an organization's documents was changed or deleted last; the beginning of time for none. */
export async function newestChange(
  collections: readonly Changing[],
  organizationId: Types.ObjectId,
): Promise<Date> {
  const newest = await Promise.all(
    collections.flatMap((collection) =>
      times.map(async (field) => {
        const filter = { [field]: { $gte: new Date(0) } };
        const options = { sort: { [field]: -1 }, fields: [field] } as const;
        return (await collection.findOne(organizationId, filter, options))?.[field]?.getTime() ?? 0;
      }),
    ),
  );
  return new Date(Math.max(0, ...newest));
}
