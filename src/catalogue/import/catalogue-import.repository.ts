import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { type Localized, mergeTranslations } from '../../core/localization/localized.js';
import type { AmenityDocument } from '../collections/amenity.schema.js';
import type { CatalogueDocument } from '../collections/catalogue-document.js';
import type { CompoundDocument } from '../collections/compound.schema.js';
import type { PhaseDocument } from '../collections/phase.schema.js';
import type { PropertyTypeDocument } from '../collections/property-type.schema.js';
import type { UnitDesignDocument } from '../collections/unit-design.schema.js';
import type { UnitDocument } from '../collections/unit-document.js';
import { unitCountIndex } from '../collections/unit.schema.js';
import type { Kind } from './catalogue-entries.js';

type Slugs = readonly string[];

/** What an entry of an import sets; everything else stays as it is stored. */
export type EntryFields = Readonly<Record<string, unknown>> & { readonly slug: string };

/** What an import did to a collection. */
export interface SaveCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

const lowestId = new Types.ObjectId('0'.repeat(24));

/** What a new document has where its entry does not say it. */
const defaults: { readonly [K in Kind]?: object } = { phases: { type: 'Phase' } };

/** Where several documents have one slug, the oldest counts. */
const oldestLast = { sort: { _id: -1 } } as const;

/** The queries of an import, which knows the documents of all collections by their slugs. */
@Injectable()
export class CatalogueImportRepository {
  private readonly compounds: TenantCollection<CompoundDocument>;
  private readonly collections: Readonly<
    Record<Kind, Pick<TenantCollection<CatalogueDocument>, 'find' | 'write'>>
  >;

  constructor(
    @InjectCollection('Compound') compounds: TenantCollection<CompoundDocument>,
    @InjectCollection('Phase') private readonly phases: TenantCollection<PhaseDocument>,
    @InjectCollection('PropertyType') propertyTypes: TenantCollection<PropertyTypeDocument>,
    @InjectCollection('Amenity') amenities: TenantCollection<AmenityDocument>,
    @InjectCollection('UnitDesign') unitDesigns: TenantCollection<UnitDesignDocument>,
    @InjectCollection('Unit') private readonly units: TenantCollection<UnitDocument>,
  ) {
    this.compounds = compounds;
    this.collections = { compounds, phases, propertyTypes, amenities, unitDesigns, units };
  }

  /** The ids of the documents with one of the slugs, by slug. */
  async idsBySlug(
    kind: Kind,
    organizationId: Types.ObjectId,
    slugs: Slugs,
  ): Promise<ReadonlyMap<string, Types.ObjectId>> {
    const options = { ...oldestLast, fields: ['slug'] } as const;
    const found = await this.collections[kind].find(organizationId, withSlugs(slugs), options);
    return new Map(found.map(({ slug, _id }) => [slug ?? '', _id]));
  }

  /** The compounds of the phases with one of the slugs, by slug. */
  async phaseParents(
    organizationId: Types.ObjectId,
    slugs: Slugs,
  ): Promise<ReadonlyMap<string, PhaseDocument['parentId']>> {
    const options = { ...oldestLast, fields: ['slug', 'parentId'] } as const;
    const found = await this.phases.find(organizationId, withSlugs(slugs), options);
    return new Map(found.map(({ slug, parentId }) => [slug ?? '', parentId]));
  }

  /** The units that have one of the values as their id. */
  async unitsWithId(
    organizationId: Types.ObjectId,
    field: 'recordSystemId' | 'unitId',
    values: readonly string[],
  ): Promise<Pick<UnitDocument, 'slug' | 'compoundId' | typeof field>[]> {
    const filter = { [field]: { $in: values }, ...notDeleted };
    return this.units.find(organizationId, filter, { fields: ['slug', 'compoundId', field] });
  }

  /** How many units of each compound have which status. */
  async countUnits(
    organizationId: Types.ObjectId,
  ): Promise<{ compoundId: Types.ObjectId; status: string; count: number }[]> {
    // By values, not by being there: for that the server would read each unit.
    const filter = { ...notDeleted, compoundId: { $gte: lowestId }, status: { $gte: '' } };
    return this.units.countBy(organizationId, filter, ['compoundId', 'status'], unitCountIndex);
  }

  /** Creates what is new and changes what differs; what is as it should be is not written. */
  async save(
    kind: Exclude<Kind, 'units'>,
    organizationId: Types.ObjectId,
    entries: readonly EntryFields[],
    now: Date,
  ): Promise<SaveCounts> {
    const slugs = entries.map(({ slug }) => slug);
    const found = await this.collections[kind].find(organizationId, withSlugs(slugs), oldestLast);
    const stored = new Map(found.map((document) => [document.slug, document]));
    const inserts: { insert: CatalogueDocument }[] = [];
    const updates: { _id: Types.ObjectId; fields: Partial<CatalogueDocument> }[] = [];
    for (const entry of entries) {
      const document = stored.get(entry.slug);
      if (document === undefined) {
        inserts.push({ insert: newDocument(organizationId, { ...defaults[kind], ...entry }, now) });
        continue;
      }
      const fields = mergedFields(document, entry);
      if (!differs(document, fields)) continue;
      updates.push({ _id: document._id, fields: { ...fields, updatedAt: now } });
    }
    await this.collections[kind].write(organizationId, [...inserts, ...updates]);
    const [created, updated] = [inserts.length, updates.length];
    return { created, updated, unchanged: entries.length - created - updated };
  }
}

function withSlugs(slugs: Slugs) {
  return { slug: { $in: slugs }, ...notDeleted };
}

function newDocument(
  organizationId: Types.ObjectId,
  fields: EntryFields,
  now: Date,
): CatalogueDocument {
  const common = { isDeleted: false, createdAt: now, updatedAt: now, __v: 0 };
  return { ...common, ...fields, _id: new Types.ObjectId(), organizationId };
}

/** Texts take the translations that an entry has and keep the others. */
function mergedFields(document: object, entry: EntryFields): EntryFields {
  const stored = document as Readonly<Record<string, Localized | undefined>>;
  const texts = ['name', 'description'].filter((field) => entry[field] !== undefined);
  const merged = texts.map((field): [string, Localized] => [
    field,
    mergeTranslations(stored[field], entry[field] as Localized),
  ]);
  return { ...entry, ...Object.fromEntries(merged) };
}

function differs(document: object, fields: EntryFields): boolean {
  const stored = document as Readonly<Record<string, unknown>>;
  return Object.entries(fields).some(
    ([field, value]) => JSON.stringify(stored[field]) !== JSON.stringify(value),
  );
}
