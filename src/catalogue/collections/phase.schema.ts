import { Schema, type Types } from 'mongoose';
import type { Localized } from '../../localization/localized.js';
import type { Brochure, CatalogueDocument, MediaItem } from './catalogue-document.js';

/** A document of `phases`; its parent is the compound. */
export interface PhaseDocument extends CatalogueDocument {
  parentId: Types.ObjectId;
  type: string;
  name: Localized;
  description: Localized;
  slug: string;
  landArea: number;
  mainImageUrl: string;
  media: MediaItem[];
  brochures: Brochure[];
}

/** Collection `phases`. */
export const phaseSchema = new Schema<PhaseDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    parentId: Schema.Types.ObjectId,
    type: { type: String },
    name: { 'en-us': String, 'ar-eg': String },
    description: { 'en-us': String, 'ar-eg': String },
    slug: String,
    landArea: Number,
    mainImageUrl: String,
    media: [],
    brochures: [],
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'phases' },
);

/** Serves the phases of a compound. */
phaseSchema.index({ organizationId: 1, parentId: 1 }, { name: 'byCompound' });
/** Serves finding phases by their slugs. */
phaseSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
