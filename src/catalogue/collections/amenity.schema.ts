import { Schema } from 'mongoose';
import type { CatalogueDocument } from './catalogue-document.js';
import type { Localized } from '../../localization/localized.js';

/** A document of `amenities`. */
export interface AmenityDocument extends CatalogueDocument {
  name: Localized;
  /** By which imports know it; not shown. */
  slug: string;
  icon: string;
  fontColor: string;
  backgroundColor: string;
}

/** Collection `amenities`. */
export const amenitySchema = new Schema<AmenityDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    name: { 'en-us': String, 'ar-eg': String },
    slug: String,
    icon: String,
    fontColor: String,
    backgroundColor: String,
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'amenities' },
);

/** Serves the amenities of an organization. */
amenitySchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
/** Serves finding an amenity by its slug. */
amenitySchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
