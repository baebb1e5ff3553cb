import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { defaultLanguage, languages } from '../../core/localization/language.js';
import {
  CatalogueDocument,
  indexChanges,
  type MediaItem,
  type ReviewState,
} from './catalogue-document.js';

/** A picture of a unit; `imageType` is null for general images, `floorplan` for floor plans. */
export interface UnitMediaItem extends MediaItem {
  imageType: string | null;
}

/** The review of one aspect of a unit; `hasIssue` is 0 when nothing was found. */
export interface UnitReview extends ReviewState {
  hasIssue: number;
  type: string;
}

@Schema({ collection: 'units' })
export class UnitDocument extends CatalogueDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  compoundId?: Types.ObjectId | null;

  /** The phase, or the compound when the unit is in no phase. */
  @Prop({ type: SchemaTypes.ObjectId })
  locationId?: Types.ObjectId | null;

  @Prop({ type: SchemaTypes.ObjectId })
  unitDesignId?: Types.ObjectId | null;

  @Prop({ type: SchemaTypes.ObjectId })
  propertyTypeId?: Types.ObjectId | null;

  @Prop()
  recordSystemId?: string;

  /** Unique within the compound. */
  @Prop()
  unitId?: string;

  @Prop()
  status?: string;

  @Prop()
  rentalStatus?: string;

  @Prop()
  saleType?: string;

  @Prop()
  bua?: number;

  @Prop()
  price?: number;

  @Prop()
  beds?: number;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  floor?: { name: string } | null;

  @Prop({ type: [] })
  media?: UnitMediaItem[];

  @Prop({ type: [] })
  reviews?: UnitReview[];

  @Prop({ type: [SchemaTypes.ObjectId] })
  amenitiesIds?: Types.ObjectId[];

  @Prop({ type: [] })
  listingType?: readonly string[];

  @Prop()
  showForBrokers?: boolean;

  @Prop()
  isAdminOnly?: boolean;

  @Prop()
  allowToTaskeen?: boolean;

  /** Another one with each decision about the unit's reservations; no content (rule DATA-8). */
  @Prop({ type: SchemaTypes.ObjectId })
  availabilityLock?: Types.ObjectId;

  /** The default name where another one stands in for it, which it follows (rule UNIT-32). */
  @Prop({ type: String })
  nameStandIn?: string | null;

  @Prop({ type: SchemaTypes.ObjectId })
  buildingId?: Types.ObjectId | null;

  @Prop({ type: SchemaTypes.ObjectId })
  finishingTypeId?: Types.ObjectId | null;

  @Prop({ type: [] })
  paymentPlansIds?: Types.ObjectId[];

  @Prop({ type: [] })
  maintenancePlanIds?: Types.ObjectId[];

  @Prop({ type: [] })
  clubPlanIds?: Types.ObjectId[];

  @Prop({ type: [] })
  featuresIds?: Types.ObjectId[];

  @Prop({ type: [] })
  brokersIds?: Types.ObjectId[];

  @Prop({ type: [] })
  brokersGroupsIds?: Types.ObjectId[];

  @Prop({ type: [] })
  releaseIds?: Types.ObjectId[];

  @Prop({ type: [] })
  addons?: unknown[];

  @Prop({ type: [] })
  priceByPaymentPlan?: unknown[];
}

/** Fields by which an index finds units, newest first. */
export const unitFilterFields = [
  'unitDesignId',
  'locationId',
  'compoundId',
  'amenitiesIds',
  'propertyTypeId',
  'saleType',
  'rentalStatus',
] as const satisfies readonly (keyof UnitDocument)[];

/** Fields by which an index finds units in the order of the field. */
export const unitOrderFields = [
  'unitId',
  'price',
  'bua',
  'beds',
  'status',
] as const satisfies readonly (keyof UnitDocument)[];

/** The index by which the units of each status are counted in each compound, without the documents. */
export const unitCountIndex = 'countsByCompound';

export const unitSchema = SchemaFactory.createForClass(UnitDocument);

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
/** Serves the list of what changed since a time, oldest change first, deleted ones included. */
indexChanges(unitSchema);
/** Serves copying all of an organization in the order of ids. */
unitSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });

// The others begin with `isDeleted`: so they also count what a filter matches without the documents.
const ofOrganization = { organizationId: 1, isDeleted: 1 } as const;
/** Serves the list, newest first. */
unitSchema.index({ ...ofOrganization, createdAt: -1, _id: -1 }, { name: 'by-createdAt' });
/** Serve the other orders of the list, and filters by these fields. */
for (const field of unitOrderFields) {
  unitSchema.index({ ...ofOrganization, [field]: 1, _id: 1 }, { name: `by-${field}` });
}
/**
 * Serve filters by these fields, newest first. Most are partial, so that the server tries them only then;
 * the others also tell which texts there are.
 */
for (const field of unitFilterFields) {
  const isPartial = field !== 'saleType' && field !== 'rentalStatus';
  unitSchema.index(
    { ...ofOrganization, [field]: 1, createdAt: -1, _id: -1 },
    {
      name: `by-${field}`,
      ...(isPartial ? { partialFilterExpression: { [field]: { $exists: true } } } : {}),
    },
  );
}
unitSchema.index(
  { ...ofOrganization, compoundId: 1, status: 1 },
  {
    name: unitCountIndex,
    // Lists filter by less, so that the server does not try it for them.
    partialFilterExpression: {
      isDeleted: false,
      compoundId: { $exists: true },
      status: { $exists: true },
    },
  },
);
/** Serve the order by name: units without a name in the language are in the order of the default one. */
for (const language of languages) {
  const names = { [`name.${language}`]: 1, [`name.${defaultLanguage}`]: 1 } as const;
  unitSchema.index({ ...ofOrganization, ...names, _id: 1 }, { name: `by-name.${language}` });
}
