import { Prop, raw, Schema } from '@nestjs/mongoose';
import type { Schema as DocumentSchema, Types } from 'mongoose';
import { DeletableDocument, notDeleted } from '../../core/database/documents/tenant-document.js';
import { caseCandidates } from '../../core/localization/fold-case.js';
import type { Localized } from '../../core/localization/localized.js';

/** A text in several languages; reused as a field's definition. */
export const localized = raw({ 'en-us': String, 'ar-eg': String });

/** What every document of the catalogue carries; only what is required is sure to be there. */
@Schema()
export class CatalogueDocument extends DeletableDocument {
  @Prop(localized)
  name?: Localized | null;

  /** By which the API and imports know it. */
  @Prop()
  slug?: string;

  /** An internal version key. */
  __v?: number;
}

/** A picture of a compound, phase or unit design. */
export interface MediaItem {
  image: string;
  type: string;
}

export interface Brochure {
  dateUploaded: Date;
  name: string;
  url: string;
}

/** Who reviewed and approved something, and when. */
export interface ReviewState {
  approveStatus: string;
  approvedById: Types.ObjectId | null;
  approvedDate: Date | null;
  reviewStatus: string;
  reviewedById: Types.ObjectId | null;
  reviewedDate: Date | null;
}

/** Serves finding what was changed or deleted since a time: units refer to it. */
export function indexChanges(schema: DocumentSchema): void {
  schema.index({ organizationId: 1, updatedAt: 1, _id: 1, isDeleted: 1 }, { name: 'byUpdate' });
  schema.index(
    { organizationId: 1, deletedAt: 1 },
    { name: 'tombstones', partialFilterExpression: { deletedAt: { $exists: true } } },
  );
}

/** Serves finding documents by slugs in any case. */
export function indexSlugsInAnyCase(schema: DocumentSchema): void {
  const options = { name: 'slug-in-any-case', collation: caseCandidates };
  schema.index({ organizationId: 1, slug: 1 }, { ...options, partialFilterExpression: notDeleted });
}
