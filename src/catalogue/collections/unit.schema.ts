import { Schema, type Types } from 'mongoose';
import type { CatalogueDocument, MediaItem, ReviewState } from './catalogue-document.js';
import type { Localized } from '../../localization/localized.js';

/** A picture of a unit; `imageType` tells floor plans from general images, which have none. */
export interface UnitMediaItem extends MediaItem {
  imageType: string | null;
}

/** The review of one aspect of a unit; `hasIssue` is 0 when nothing was found. */
export interface UnitReview extends ReviewState {
  hasIssue: number;
  type: string;
}

/** A document of `units`; its location is the phase, or the compound when it is in no phase. */
export interface UnitDocument extends CatalogueDocument {
  compoundId: Types.ObjectId;
  locationId: Types.ObjectId;
  unitDesignId: Types.ObjectId | null;
  buildingId: Types.ObjectId;
  propertyTypeId: Types.ObjectId | null;
  finishingTypeId: Types.ObjectId;
  recordSystemId?: string;
  unitId: string;
  name: Localized;
  slug: string;
  status: string;
  rentalStatus: string;
  saleType: string;
  bua: number;
  price: number;
  beds: number;
  floor: { name: string };
  media: UnitMediaItem[];
  reviews: UnitReview[];
  showForBrokers: boolean;
  isAdminOnly: boolean;
  allowToTaskeen: boolean;
  amenitiesIds: Types.ObjectId[];
  paymentPlansIds: Types.ObjectId[];
  maintenancePlanIds: Types.ObjectId[];
  clubPlanIds: Types.ObjectId[];
  featuresIds: Types.ObjectId[];
  brokersIds: Types.ObjectId[];
  brokersGroupsIds: Types.ObjectId[];
  releaseIds: Types.ObjectId[];
  listingType: string[];
  addons: unknown[];
  priceByPaymentPlan: unknown[];
  /** Another one with each decision about the unit's reservations; no content. */
  availabilityLock?: Types.ObjectId;
}

/** Collection `units`. */
export const unitSchema = new Schema<UnitDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    compoundId: Schema.Types.ObjectId,
    locationId: Schema.Types.ObjectId,
    unitDesignId: Schema.Types.ObjectId,
    propertyTypeId: Schema.Types.ObjectId,
    recordSystemId: String,
    unitId: String,
    name: { 'en-us': String, 'ar-eg': String },
    slug: String,
    status: String,
    rentalStatus: String,
    saleType: String,
    bua: Number,
    price: Number,
    beds: Number,
    floor: {},
    media: [],
    reviews: [],
    amenitiesIds: [Schema.Types.ObjectId],
    listingType: [],
    showForBrokers: Boolean,
    isAdminOnly: Boolean,
    allowToTaskeen: Boolean,
    availabilityLock: Schema.Types.ObjectId,
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'units' },
);

/** A slug names one unit of an organization. */
unitSchema.index(
  { organizationId: 1, slug: 1 },
  {
    name: 'slug',
    unique: true,
    partialFilterExpression: { isDeleted: false, slug: { $exists: true } },
  },
);
/** An outside system's id names one unit of an organization. */
unitSchema.index(
  { organizationId: 1, recordSystemId: 1 },
  {
    name: 'recordSystemId',
    unique: true,
    partialFilterExpression: { isDeleted: false, recordSystemId: { $exists: true } },
  },
);
/** A unit id names one unit of a compound. */
unitSchema.index(
  { organizationId: 1, compoundId: 1, unitId: 1 },
  {
    name: 'unitId',
    unique: true,
    partialFilterExpression: { isDeleted: false, unitId: { $exists: true } },
  },
);
/** Serves the units of a compound, newest first. */
unitSchema.index(
  { organizationId: 1, compoundId: 1, createdAt: -1, _id: -1 },
  { name: 'newestOfCompound', partialFilterExpression: { isDeleted: false } },
);
/** Serves the list of all units, newest first. */
unitSchema.index(
  { organizationId: 1, createdAt: -1, _id: -1 },
  { name: 'newest', partialFilterExpression: { isDeleted: false } },
);
/** Serves the list of what changed since a time, oldest change first, deleted ones included. */
unitSchema.index({ organizationId: 1, updatedAt: 1, _id: 1 }, { name: 'changes' });
/** Serves finding a unit by its unit id alone. */
unitSchema.index(
  { organizationId: 1, unitId: 1 },
  { name: 'unitIdAlone', partialFilterExpression: { isDeleted: false } },
);
