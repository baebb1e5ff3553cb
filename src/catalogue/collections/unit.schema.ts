import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { defaultLanguage, languages } from '../../core/localization/language.js';
import type { Localized } from '../../core/localization/localized.js';
import {
  Flag,
  ForeignIds,
  Id,
  List,
  OptionalText,
  Quantity,
  Reference,
  References,
  Text,
  Texts,
} from '../fields/fields.js';
import { LocalizedText, ObjectOf, ObjectsOf } from '../fields/object-fields.js';
import { anyText, externalId, newSlug } from '../fields/sent-values.js';
import { CatalogueDocument, indexChanges } from './catalogue-document.js';
import { Floor, UnitMedia, UnitReview } from './unit-parts.js';

/** A unit (rule UNIT-9). */
@Schema({ collection: 'units' })
export class UnitDocument extends CatalogueDocument {
  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @Reference('compounds', {
    as: 'compound',
    kind: anyText,
    sent: {
      description: 'Slug of the compound; required to create. With unitId alone, where to look.',
      example: 'palm-meadows',
    },
    imported: 'required',
  })
  compoundId?: Types.ObjectId | null;

  @Reference('phases', {
    as: 'phase',
    description: 'The phase, or the compound when the unit is in no phase.',
    sent: { description: 'Slug of a phase of the compound; null for none.' },
  })
  locationId?: Types.ObjectId | null;

  @Reference('unitDesigns', {
    as: 'unitDesign',
    sent: { description: 'Slug of a unit design; null for none.' },
  })
  unitDesignId?: Types.ObjectId | null;

  @Id()
  buildingId?: Types.ObjectId | null;

  @Reference('propertyTypes', {
    as: 'propertyType',
    sent: {
      description: 'Name or slug of an existing property type, in any case; null for none.',
    },
  })
  propertyTypeId?: Types.ObjectId | null;

  @Id()
  finishingTypeId?: Types.ObjectId | null;

  @OptionalText({
    description: 'Present when it has an external id.',
    kind: externalId,
    sent: {
      description:
        'Stable external id of the unit, used exactly as sent: later requests with it update the ' +
        'same unit. It or unitId is required.',
      example: 'ERP-4711',
    },
  })
  recordSystemId?: string;

  /** Unique within the compound. */
  @Text({
    example: 'PM-V-101',
    kind: externalId,
    sent: { description: 'Id of the unit within its compound.' },
    imported: 'required',
  })
  unitId?: string;

  @Text({ example: 'garden-villa-pm-v-101', kind: newSlug, imported: 'required' })
  declare slug?: string;

  @LocalizedText({
    example: 'Garden Villa PM-V-101',
    description: 'In the language of the request.',
    sent: { example: { 'en-us': 'Garden Villa', 'ar-eg': 'فيلا بحديقة' } },
    imported: 'required',
  })
  declare name?: Localized | null;

  @Text({
    example: 'Available',
    description: 'Such as Available, Reserved or Sold.',
    kind: anyText,
    sent: {
      description:
        'Such as Available, Reserved or Sold; between these three, approved and open reservations ' +
        'of the unit decide.',
    },
  })
  status?: string;

  @Text({ example: 'Unavailable', kind: anyText, sent: true })
  rentalStatus?: string;

  @Text({ example: 'primary', kind: anyText, sent: true })
  saleType?: string;

  @Quantity({ example: 260, description: 'Built-up area in square meters.', sent: true })
  bua?: number;

  @Quantity({ example: 12_500_000, sent: true })
  price?: number;

  @Quantity({ example: 3, sent: true })
  beds?: number;

  @ObjectOf(Floor, { sent: { rule: 'isFloor', example: { name: 'Ground' } } })
  floor?: Floor | null;

  @ObjectsOf(UnitMedia, { sent: { rule: 'isMediaList' } })
  media?: UnitMedia[];

  @ObjectsOf(UnitReview)
  reviews?: UnitReview[];

  @Flag({ sent: true })
  showForBrokers?: boolean;

  @Flag()
  isAdminOnly?: boolean;

  @Flag()
  allowToTaskeen?: boolean;

  @References('amenities', {
    as: 'amenities',
    sent: { description: 'Names of existing amenities, in any language and case.' },
  })
  amenitiesIds?: Types.ObjectId[];

  @ForeignIds()
  paymentPlansIds?: Types.ObjectId[];

  @ForeignIds()
  maintenancePlanIds?: Types.ObjectId[];

  @ForeignIds()
  clubPlanIds?: Types.ObjectId[];

  @ForeignIds()
  featuresIds?: Types.ObjectId[];

  @ForeignIds()
  brokersIds?: Types.ObjectId[];

  @ForeignIds()
  brokersGroupsIds?: Types.ObjectId[];

  @ForeignIds()
  releaseIds?: Types.ObjectId[];

  @Texts({ sent: { description: 'Such as sale or rent.' } })
  listingType?: readonly string[];

  @List()
  addons?: unknown[];

  @List()
  priceByPaymentPlan?: unknown[];

  /** Another one with each decision about the unit's reservations; no content (rule DATA-8). */
  @Prop({ type: SchemaTypes.ObjectId })
  availabilityLock?: Types.ObjectId;

  /** The default name where another one stands in for it, which it follows (rule UNIT-32). */
  @Prop({ type: String })
  nameStandIn?: string | null;
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
