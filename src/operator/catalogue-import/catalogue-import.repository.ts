import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { type Localized, mergeTranslations } from '../../core/localization/language.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import type { CatalogueDocument } from '../../catalogue/collections/catalogue-document.js';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { unitCountIndex } from '../../catalogue/collections/unit.schema.js';
import type { ReferenceKind } from '../../core/fields/declared-fields.js';

export type EntryFields = Readonly<Record<string, unknown>> & { readonly slug: string };

export type SaveCounts = Readonly<Record<'created' | 'updated' | 'unchanged', number>>;

const lowestId = new Types.ObjectId('0'.repeat(24));

@Injectable()
export class CatalogueImportRepository {
  constructor(
    private readonly catalogue: CatalogueRepository,
    @InjectCollection('Unit') private readonly units: TenantCollection<UnitDocument>,
  ) {}

  async unitsWithId(
    organizationId: Types.ObjectId,
    field: 'recordSystemId' | 'unitId',
    values: readonly string[],
  ): Promise<Pick<UnitDocument, 'slug' | 'compoundId' | typeof field>[]> {
    const filter = { [field]: { $in: values }, ...notDeleted };
    return this.units.find(organizationId, filter, { fields: ['slug', 'compoundId', field] });
  }

  async countUnits(
    organizationId: Types.ObjectId,
  ): Promise<{ compoundId: Types.ObjectId; status: string; count: number }[]> {
    // Values instead of `$exists`, which would read each unit.
    const filter = { ...notDeleted, compoundId: { $gte: lowestId }, status: { $gte: '' } };
    return this.units.countBy(organizationId, filter, ['compoundId', 'status'], unitCountIndex);
  }

  /** Documents that do not differ are not written. */
  async save(
    kind: ReferenceKind,
    organizationId: Types.ObjectId,
    entries: readonly EntryFields[],
    now: Date,
  ): Promise<SaveCounts> {
    const slugs = entries.map(({ slug }) => slug);
    const found = await this.catalogue.findBySlugs(kind, organizationId, slugs);
    // The oldest counts if several have one slug.
    const stored = new Map(found.toReversed().map((document) => [document.slug, document]));
    const inserts = entries
      .filter(({ slug }) => !stored.has(slug))
      .map((entry) => ({ insert: newDocument(organizationId, kind, entry, now) }));
    const updates = entries.flatMap((entry) => {
      const document = stored.get(entry.slug);
      const fields = document && mergedFields(document, entry);
      if (!fields || !differs(document, fields)) return [];
      return { _id: document._id, fields: { ...fields, updatedAt: now } };
    });
    await this.catalogue.write(kind, organizationId, [...inserts, ...updates]);
    const [created, updated] = [inserts.length, updates.length];
    return { created, updated, unchanged: entries.length - created - updated };
  }
}

function newDocument(
  organizationId: Types.ObjectId,
  kind: ReferenceKind,
  fields: EntryFields,
  now: Date,
): CatalogueDocument {
  const common = { isDeleted: false, createdAt: now, updatedAt: now, __v: 0 };
  const defaults = kind === 'phases' ? { type: 'Phase' } : {};
  return { ...common, ...defaults, ...fields, _id: new Types.ObjectId(), organizationId };
}

/** Unsent translations stay. */
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
