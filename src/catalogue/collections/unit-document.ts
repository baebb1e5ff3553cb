import { Prop, Schema } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import type { Localized } from '../../core/localization/language.js';
import {
  ExternalId,
  Flag,
  ForeignIds,
  Id,
  List,
  LongText,
  NullableId,
  NullableText,
  NullableTime,
  OptionalExternalId,
  Quantity,
  Reference,
  References,
  Slug,
  Text,
  TextList,
  Url,
} from '../../core/fields/fields.js';
import { EmbeddedObject, EmbeddedObjects, LocalizedText } from '../../core/fields/object-fields.js';
import { CatalogueDocument } from './catalogue-document.js';

/** `imageType` is null for general images, `floorplan` for floor plans. */
export class UnitMedia {
  @Url({
    example: 'https://cdn.example.com/compounds/palm-meadows/entrance.jpg',
    imported: 'required',
  })
  image!: string;

  @NullableText({
    description: 'floorplan for floor plans, otherwise null.',
    imported: true,
    default: null,
  })
  imageType!: string | null;

  @Text({ example: 'image', imported: true, default: 'image' })
  type!: string;
}

export class UnitReview {
  @Quantity({ example: 0, description: '0 if there is no issue.' })
  hasIssue!: number;

  @Text({ example: 'unitDesign' })
  type!: string;

  @Text({ example: 'Approved' })
  approveStatus!: string;

  @NullableId()
  approvedById!: Types.ObjectId | null;

  @NullableTime()
  approvedDate!: Date | null;

  @Text({ example: 'Reviewed' })
  reviewStatus!: string;

  @NullableId()
  reviewedById!: Types.ObjectId | null;

  @NullableTime()
  reviewedDate!: Date | null;
}

export class Floor {
  @Text({ example: 'Ground', imported: 'required' })
  name!: string;
}

@Schema({ collection: 'units' })
export class UnitDocument extends CatalogueDocument {
  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @Reference('compounds', {
    as: 'compound',
    sent: {
      description:
        'Slug of the compound; required to create a unit. Limits the search for a unitId.',
      example: 'palm-meadows',
    },
    imported: 'required',
  })
  compoundId?: Types.ObjectId | null;

  @Reference('phases', {
    as: 'phase',
    description: 'The phase, or the compound if the unit has no phase.',
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

  @OptionalExternalId({
    description: 'Present if the unit has an external id.',
    sent: {
      description:
        'Stable external id of the unit, used exactly as sent: later requests with it update the ' +
        'same unit. It or unitId is required.',
      example: 'ERP-4711',
    },
  })
  recordSystemId?: string;

  /** Unique within the compound. */
  @ExternalId({
    example: 'PM-V-101',
    sent: { description: 'Id of the unit within its compound.' },
    imported: 'required',
  })
  unitId?: string;

  @Slug({ example: 'garden-villa-pm-v-101', imported: 'required' })
  declare slug?: string;

  @LocalizedText({
    example: 'Garden Villa PM-V-101',
    sent: {
      description: 'A plain string is in the language of the request.',
      example: { 'en-us': 'Garden Villa', 'ar-eg': 'فيلا بحديقة' },
    },
    imported: 'required',
  })
  declare name?: Localized | null;

  @LongText({
    example: 'Available',
    description: 'For example Available, Reserved or Sold.',
    sent: {
      description:
        'For example Available, Reserved or Sold. These three are recognized in any case and with ' +
        'blanks around them; approved and open reservations of the unit override them.',
    },
  })
  status?: string;

  @LongText({ example: 'Unavailable', sent: true })
  rentalStatus?: string;

  @LongText({ example: 'primary', sent: true })
  saleType?: string;

  @Quantity({ example: 260, description: 'Built-up area in square meters.', sent: true })
  bua?: number;

  @Quantity({ example: 12_500_000, sent: true })
  price?: number;

  @Quantity({ example: 3, sent: true })
  beds?: number;

  @EmbeddedObject(Floor, { sent: { example: { name: 'Ground' } } })
  floor?: Floor | null;

  @EmbeddedObjects(UnitMedia, { sent: true })
  media?: UnitMedia[];

  @EmbeddedObjects(UnitReview)
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

  @TextList({ sent: { description: 'For example sale or rent.' } })
  listingType?: readonly string[];

  @List()
  addons?: unknown[];

  @List()
  priceByPaymentPlan?: unknown[];

  /** Each decision about reservations writes a new id, so that concurrent decisions conflict (rule DATA-8). */
  @Prop({ type: SchemaTypes.ObjectId })
  availabilityLock?: Types.ObjectId;

  /** Holds the `en-us` name while another translation stands in for it (rule UNIT-32). */
  @Prop({ type: String })
  nameStandIn?: string | null;
}
