import { Schema } from 'mongoose';
import type { CatalogueDocument } from '../compounds/catalogue-document.js';
import type { Localized } from '../localization/localized.js';

/** A document of `amenities`. */
export interface AmenityDocument extends CatalogueDocument {
  name: Localized;
  icon: string;
  fontColor: string;
  backgroundColor: string;
}

/** Collection `amenities`. */
export const amenitySchema = new Schema<AmenityDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    name: { 'en-us': String, 'ar-eg': String },
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
