import { Schema, type Types } from 'mongoose';
import type { CatalogueDocument } from './catalogue-document.js';
import type { Localized } from '../../localization/localized.js';

/** A document of `propertyTypes`. */
export interface PropertyTypeDocument extends CatalogueDocument {
  propertyTypeCategoryId: Types.ObjectId;
  name: Localized;
  slug: string;
}

/** Collection `propertyTypes`. */
export const propertyTypeSchema = new Schema<PropertyTypeDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    name: { 'en-us': String, 'ar-eg': String },
    slug: String,
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'propertyTypes' },
);

/** Serves finding a property type by its slug. */
propertyTypeSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
