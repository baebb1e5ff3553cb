import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { TenantCache } from '../core/cache/tenant-cache.js';
import {
  type DeletableDocument,
  includingDeleted,
  notDeleted,
} from '../core/database/documents/tenant-document.js';
import {
  type FieldName,
  type TenantFilter,
  type TenantWrite,
  withIndexHint,
} from '../core/database/documents/tenant-queries.js';
import { writeAll } from '../core/database/models/bulk-writes.js';
import { changedSince, newestChange, valuesChangedSince } from '../core/database/models/changes.js';
import type { OrganizationIds, TenantModel } from '../core/database/models/tenant-model.js';
import { caseInsensitive, caseVariants, foldCase } from '../core/localization/fold-case.js';
import { foldName, nameInsensitive, nameVariants } from '../core/localization/fold-name.js';
import {
  defaultLanguage,
  type Language,
  languages,
  type Localized,
  localizedText,
} from '../core/localization/language.js';
import type {
  AmenityDocument,
  PhaseDocument,
  PropertyTypeDocument,
  UnitDesignDocument,
} from './collections/unit-references.schema.js';
import type { CatalogueDocument } from './collections/catalogue-document.js';
import { type CompoundDocument, visibilityIndex } from './collections/compound.schema.js';
import type { UnitDocument } from './collections/unit-document.js';
import type { ReferenceKind } from './references.js';
import { type HiddenParts, hiddenCompounds } from './visibility/hidden-parts.js';

export type CatalogueKind = ReferenceKind | 'units';

type Ids = readonly Types.ObjectId[];
type Names = readonly string[];

export interface DisplayedName {
  readonly name: string;
  readonly language: Language;
}

const oldestFirst = { sort: { _id: 1 } } as const;
/** Fields that decide whether a document belongs to a compound that is hidden. */
const ownerFields: Readonly<Record<ReferenceKind, readonly string[]>> = {
  compounds: [],
  phases: ['parentId'],
  unitDesigns: ['locationsIds'],
  propertyTypes: [],
  amenities: [],
};
/** Requests name documents of these kinds by slug only, and others also by name. */
const slugKinds: ReadonlySet<CatalogueKind> = new Set(['compounds', 'phases', 'unitDesigns']);

@Injectable()
export class CatalogueRepository {
  private readonly models: Readonly<Record<CatalogueKind, TenantModel<CatalogueDocument>>>;

  constructor(
    @InjectModel('Compound') private readonly compounds: TenantModel<CompoundDocument>,
    @InjectModel('Phase') private readonly phases: TenantModel<PhaseDocument>,
    @InjectModel('Amenity') amenities: TenantModel<AmenityDocument>,
    @InjectModel('PropertyType') propertyTypes: TenantModel<PropertyTypeDocument>,
    @InjectModel('UnitDesign') private readonly unitDesigns: TenantModel<UnitDesignDocument>,
    @InjectModel('Unit') private readonly units: TenantModel<UnitDocument>,
    private readonly cache: TenantCache,
  ) {
    this.models = { compounds, phases, amenities, propertyTypes, unitDesigns, units };
  }

  async findByIds(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    ids: Ids,
  ): Promise<CatalogueDocument[]> {
    return this.models[kind].find({ organizationId, _id: { $in: ids }, ...notDeleted }).lean();
  }

  async findBySlugs(
    kind: CatalogueKind,
    organizationId: Types.ObjectId,
    slugs: Names,
    projection: readonly FieldName<CatalogueDocument>[] | null = null,
  ): Promise<CatalogueDocument[]> {
    if (slugs.length === 0) return [];
    const filter = { organizationId, slug: { $in: slugs }, ...notDeleted };
    return this.models[kind].find(filter, projection, oldestFirst).lean();
  }

  /** If several documents have a slug, the oldest is used. */
  async idsBySlugs(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    slugs: Names,
  ): Promise<ReadonlyMap<string, Types.ObjectId>> {
    const documents = await this.findBySlugs(kind, organizationId, slugs, ['slug']);
    return new Map(documents.toReversed().map(({ slug, _id }) => [slug ?? '', _id]));
  }

  phasesBySlugs(organizationId: Types.ObjectId, slugs: Names): Promise<PhaseDocument[]> {
    return this.findBySlugs('phases', organizationId, slugs);
  }

  /**
   * Names match in any case and language. Among slugs, one in the same case wins.
   *
   * @param hidden parts that count as missing
   */
  async idsByNames(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    names: Names,
    hidden: HiddenParts | null = null,
  ): Promise<Ids[]> {
    if (names.length === 0) return [];
    const texts = { $in: names.flatMap(caseVariants) };
    const hasNames = !slugKinds.has(kind);
    const inLanguages = languages.map((language) => ({ [`name.${language}`]: texts }));
    const named = hasNames ? { $or: [{ slug: texts }, ...inLanguages] } : { slug: texts };
    const filter = { organizationId, ...named, ...notDeleted };
    const options = { ...oldestFirst, collation: caseInsensitive };
    const fields = ['name', 'slug', ...(hidden === null ? [] : ownerFields[kind])] as const;
    const stored = await this.models[kind].find(filter, fields as never, options).lean();
    const found =
      hidden === null ? stored : stored.filter((document) => !hidden.hides(kind, document));
    return names.map((name) => {
      // The collation also matches texts that differ in more than case.
      const same = found.filter((document) => isNamed(kind, document, name));
      const exact = hasNames ? [] : same.filter(({ slug }) => slug === name);
      return (exact.length > 0 ? exact : same).map(({ _id }) => _id);
    });
  }

  /** A lead sends the name that it saw in its language, in any spelling (rule LEAD-8). */
  async findCompoundsByName(
    organizationId: Types.ObjectId,
    names: readonly DisplayedName[],
  ): Promise<(name: DisplayedName) => Types.ObjectId[]> {
    const found = new Map<string, Types.ObjectId[]>();
    const keyOf = ({ name, language }: DisplayedName) => `${language} ${foldName(name)}`;
    for (const [language, ofLanguage] of Map.groupBy(names, (name) => name.language)) {
      const $in = [...new Set(ofLanguage.flatMap(({ name }) => nameVariants(name)))];
      // The default language also stands for a missing translation.
      const $or = [...new Set([language, defaultLanguage])].map((nameLanguage) => ({
        [`name.${nameLanguage}`]: { $in },
      }));
      // Leads link these compounds, so a failover must not undo them.
      const readConcern = { level: 'majority' } as const;
      const options = { ...oldestFirst, collation: nameInsensitive, readConcern };
      const filter = { organizationId, $or, ...notDeleted };
      const compounds = await this.models.compounds.find(filter, ['name'], options).lean();
      for (const { _id, name } of compounds) {
        const key = keyOf({ name: localizedText(name, language), language });
        found.set(key, [...(found.get(key) ?? []), _id]);
      }
    }
    // A name without letters names nothing, although such compounds may be stored.
    return (sent) => (foldName(sent.name) === '' ? [] : (found.get(keyOf(sent)) ?? []));
  }

  /** Includes deleted compounds. Only the operator asks for several organizations. */
  async compoundNames(
    organizationId: OrganizationIds,
    ids: Ids,
  ): Promise<ReadonlyMap<string, Partial<Localized>>> {
    if (ids.length === 0) return new Map();
    const filter = { organizationId, _id: { $in: ids } };
    const found = await this.models.compounds.find(filter, ['name']).lean();
    return new Map(found.map(({ _id, name }) => [_id.toHexString(), name ?? {}]));
  }

  /** Returns at most `limit` updated and `limit` deleted documents. */
  async idsChangedSince(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    since: Date,
    limit: number,
  ): Promise<Ids> {
    const part = { field: '_id', limit } as const;
    const { values } = await valuesChangedSince(this.models[kind], organizationId, since, part);
    return values;
  }

  async changedSince<T extends CatalogueDocument>(
    kind: CatalogueKind,
    organizationId: Types.ObjectId,
    since: Date,
    alternatives: readonly TenantFilter<T>[] = [],
  ): Promise<TenantFilter<T>> {
    const model = this.models[kind] as TenantModel<T>;
    return changedSince(model, organizationId, since, alternatives);
  }

  /** Includes deleted compounds (rule AUTH-9). */
  async hiddenCompoundIds(organizationId: Types.ObjectId): Promise<Ids> {
    const filter = { organizationId, ...hiddenCompounds, ...includingDeleted };
    const found = await withIndexHint(visibilityIndex, async (hint) =>
      this.compounds.find(filter, ['_id'], hint).lean(),
    );
    return found.map(({ _id }) => _id);
  }

  async phaseIdsOf(organizationId: Types.ObjectId, compoundIds: Ids, limit?: number): Promise<Ids> {
    if (compoundIds.length === 0) return [];
    const filter = { organizationId, parentId: { $in: compoundIds } };
    const found = await this.phases.find(filter, ['_id'], limit ? { limit } : {}).lean();
    return found.map(({ _id }) => _id);
  }

  async designIdsIn(organizationId: Types.ObjectId, locationIds: Ids, limit: number): Promise<Ids> {
    if (locationIds.length === 0) return [];
    const filter = { organizationId, locationsIds: { $in: locationIds } };
    const found = await this.unitDesigns.find(filter, ['_id'], { limit }).lean();
    return found.map(({ _id }) => _id);
  }

  /** Returns the fields that decide who sees a unit. */
  async unitOwners(
    organizationId: Types.ObjectId,
    ids: Ids,
  ): Promise<Pick<UnitDocument, '_id' | 'isAdminOnly' | 'compoundId'>[]> {
    if (ids.length === 0) return [];
    const filter = { organizationId, _id: { $in: ids } };
    return this.units.find(filter, ['isAdminOnly', 'compoundId']).lean();
  }

  /** Returns 1970 if there is no document. */
  async newestChange(
    organizationId: Types.ObjectId,
    kinds = Object.keys(this.models) as readonly CatalogueKind[],
    hidden: HiddenParts | null = null,
  ): Promise<Date> {
    const newest = kinds.map((kind) => {
      const models = [this.models[kind] as TenantModel<DeletableDocument>];
      return newestChange(models, organizationId, hidden?.visible(kind));
    });
    return new Date(Math.max(0, ...(await Promise.all(newest)).map((time) => time.getTime())));
  }

  async write(
    kind: CatalogueKind,
    organizationId: Types.ObjectId,
    writes: readonly TenantWrite<CatalogueDocument>[],
  ): Promise<void> {
    await this.cache.invalidatedBy(organizationId, () =>
      writeAll(this.models[kind], organizationId, writes),
    );
  }
}

function isNamed(kind: ReferenceKind, { slug, name }: CatalogueDocument, text: string): boolean {
  const key = foldCase(text);
  const names = slugKinds.has(kind) ? [] : languages.map((language) => name?.[language]);
  const slugs = kind === 'amenities' ? [] : [slug];
  return [...slugs, ...names].some((spelling) => foldCase(spelling ?? '') === key);
}
