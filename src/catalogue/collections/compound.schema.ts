import { Schema } from 'mongoose';
import { caseInsensitive } from '../../localization/fold-case.js';
import { languages } from '../../localization/language.js';
import type { Localized } from '../../localization/localized.js';
import type { Brochure, CatalogueDocument, MediaItem } from './catalogue-document.js';

/** A document of `compounds`. */
export interface CompoundDocument extends CatalogueDocument {
  type: string;
  name: Localized;
  description: Localized;
  slug: string;
  saleType: string;
  logo: string;
  mainImageUrl: string;
  mainBannerUrl: string;
  media: MediaItem[];
  constructionUpdates: MediaItem[];
  mainBrochure: Brochure;
  brochures: Brochure[];
  area: number;
  numberOfUnits: number;
  showOnMap: boolean;
  isPublished: boolean;
  isPublic: boolean;
  mapHealthCheck: boolean;
  isNewLaunch: boolean;
  allowPriceRange: boolean;
  showInLeadFeedback: boolean;
  isAdminOnly: boolean;
  showInEcommerce: boolean;
  EOIUnitTypes: unknown[];
  EOIUnitPreferences: unknown[];
  EOIForm: unknown[];
  offerJsons: unknown[];
  commercialBuildingsOrder: unknown[];
}

/** Collection `compounds`. */
export const compoundSchema = new Schema<CompoundDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    type: { type: String },
    name: { 'en-us': String, 'ar-eg': String },
    description: { 'en-us': String, 'ar-eg': String },
    slug: String,
    saleType: String,
    logo: String,
    mainImageUrl: String,
    mainBannerUrl: String,
    media: [],
    constructionUpdates: [],
    brochures: [],
    EOIUnitTypes: [],
    EOIUnitPreferences: [],
    EOIForm: [],
    offerJsons: [],
    commercialBuildingsOrder: [],
    area: Number,
    numberOfUnits: Number,
    showOnMap: Boolean,
    isPublished: Boolean,
    isPublic: Boolean,
    mapHealthCheck: Boolean,
    isNewLaunch: Boolean,
    allowPriceRange: Boolean,
    showInLeadFeedback: Boolean,
    isAdminOnly: Boolean,
    showInEcommerce: Boolean,
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'compounds' },
);

const notDeleted = { partialFilterExpression: { isDeleted: false } };

/** A slug names one compound of an organization. */
compoundSchema.index(
  { organizationId: 1, slug: 1 },
  {
    name: 'slug',
    unique: true,
    partialFilterExpression: { isDeleted: false, slug: { $exists: true } },
  },
);
/** Serves the list, newest first. */
compoundSchema.index(
  { organizationId: 1, createdAt: -1, _id: -1 },
  { name: 'newest', ...notDeleted },
);
/** Serves the list of what changed since a time, oldest change first, deleted ones included. */
compoundSchema.index({ organizationId: 1, updatedAt: 1, _id: 1 }, { name: 'changes' });
for (const language of languages) {
  /** Serves linking a lead to the compounds that bear a name, in any case. */
  compoundSchema.index(
    { organizationId: 1, [`name.${language}`]: 1 },
    { name: `name-${language}`, collation: caseInsensitive, ...notDeleted },
  );
}
