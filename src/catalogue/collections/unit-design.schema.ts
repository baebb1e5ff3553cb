import { Schema, type Types } from 'mongoose';
import type { CatalogueDocument, MediaItem, ReviewState } from './catalogue-document.js';
import type { Localized } from '../../localization/localized.js';

/** A document of `unitDesigns`; its locations are phases, or the compound that has none. */
export interface UnitDesignDocument extends CatalogueDocument, ReviewState {
  type: string;
  name: Localized;
  description: Localized;
  slug: string;
  bua: number;
  bedrooms: number;
  media: MediaItem[];
  offerGallery: MediaItem[];
  amenitiesIds: Types.ObjectId[];
  locationsIds: Types.ObjectId[];
  addonsIds: Types.ObjectId[];
  releaseIds: Types.ObjectId[];
}

/** Collection `unitDesigns`. */
export const unitDesignSchema = new Schema<UnitDesignDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    name: { 'en-us': String, 'ar-eg': String },
    description: { 'en-us': String, 'ar-eg': String },
    slug: String,
    bua: Number,
    bedrooms: Number,
    media: [],
    offerGallery: [],
    amenitiesIds: [Schema.Types.ObjectId],
    locationsIds: [Schema.Types.ObjectId],
    addonsIds: [],
    releaseIds: [],
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'unitDesigns' },
);

/** Serves finding a unit design by its slug. */
unitDesignSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
