import { Types } from 'mongoose';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { notDeleted } from '../../database/documents/tenant-document.js';
import type { TenantFilter, TenantSort } from '../../database/documents/tenant-filter.js';
import type { CatalogueDocument } from '../collections/catalogue-document.js';

/** A document of the catalogue that has a slug. */
export type SluggedDocument = CatalogueDocument & { slug: string };

/** What a record of an import sets; everything else stays as it is stored. */
export type SluggedFields<T> = Partial<T> & { readonly slug: string };

/** What an import did to a collection. */
export interface SaveCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** One collection of the catalogue as imports see it: records that are known by their slug. */
export class CatalogueStore<T extends SluggedDocument> {
  constructor(private readonly documents: TenantCollection<T>) {}

  /** The stored records with one of the slugs, by slug. */
  async bySlug(
    organizationId: Types.ObjectId,
    slugs: readonly string[],
  ): Promise<ReadonlyMap<string, T>> {
    const filter = { slug: { $in: slugs }, ...notDeleted } as TenantFilter<SluggedDocument>;
    const sort = { _id: -1 } as TenantSort<T>;
    const found = await this.documents.find(organizationId, filter, { sort });
    return new Map(found.map((document) => [document.slug, document]));
  }

  /** The stored records that have one of the values in a field. */
  async having(
    organizationId: Types.ObjectId,
    field: 'recordSystemId' | 'unitId',
    values: readonly string[],
  ): Promise<readonly T[]> {
    const filter = { [field]: { $in: values }, ...notDeleted } as unknown as TenantFilter<T>;
    return this.documents.find(organizationId, filter);
  }

  /** Creates what is new and changes what differs; what is as it should be is not written. */
  async save(
    organizationId: Types.ObjectId,
    records: readonly SluggedFields<T>[],
    now: Date,
  ): Promise<SaveCounts> {
    const stored = await this.bySlug(
      organizationId,
      records.map(({ slug }) => slug),
    );
    const inserts: T[] = [];
    const updates: { _id: Types.ObjectId; fields: Partial<T> }[] = [];
    for (const fields of records) {
      const document = stored.get(fields.slug);
      if (document === undefined) inserts.push(newDocument(organizationId, fields, now));
      else if (differs(document, fields)) {
        updates.push({ _id: document._id, fields: { ...fields, updatedAt: now } });
      }
    }
    await this.documents.write(organizationId, inserts, updates);
    const [created, updated] = [inserts.length, updates.length];
    return { created, updated, unchanged: records.length - created - updated };
  }
}

function newDocument<T extends SluggedDocument>(
  organizationId: Types.ObjectId,
  fields: SluggedFields<T>,
  now: Date,
): T {
  const common = { isDeleted: false, createdAt: now, updatedAt: now, __v: 0 };
  return { ...common, ...fields, _id: new Types.ObjectId(), organizationId } as unknown as T;
}

function differs<T extends SluggedDocument>(document: T, fields: SluggedFields<T>): boolean {
  const stored = document as Record<string, unknown>;
  return Object.entries(fields).some(
    ([field, value]) => JSON.stringify(stored[field]) !== JSON.stringify(value),
  );
}
