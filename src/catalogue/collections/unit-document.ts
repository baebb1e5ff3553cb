import { Prop, Schema } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import type { Localized } from '../../core/localization/language.js';
import {
  Flag,
  ForeignIds,
  Id,
  Ids,
  List,
  NullableId,
  NullableText,
  NullableTime,
  OptionalText,
  Quantity,
  Text,
} from '../../core/fields/fields.js';
import { EmbeddedObject, EmbeddedObjects, LocalizedText } from '../../core/fields/object-fields.js';
import { CatalogueDocument } from './catalogue-document.js';

/** `imageType` is null for general images, `floorplan` for floor plans. */
export class UnitMedia {
  @Text({ example: 'https://cdn.example.com/compounds/palm-meadows/entrance.jpg' })
  image!: string;

  @NullableText({ description: 'floorplan for floor plans, otherwise null.' })
  imageType!: string | null;

  @Text({ example: 'image' })
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
  @Text({ example: 'Ground' })
  name!: string;
}

@Schema({ collection: 'units' })
export class UnitDocument extends CatalogueDocument {
  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @Id()
  compoundId?: Types.ObjectId | null;

  @Id({ description: 'The phase, or the compound if the unit has no phase.' })
  locationId?: Types.ObjectId | null;

  @Id()
  unitDesignId?: Types.ObjectId | null;

  @Id()
  buildingId?: Types.ObjectId | null;

  @Id()
  propertyTypeId?: Types.ObjectId | null;

  @Id()
  finishingTypeId?: Types.ObjectId | null;

  @OptionalText({ description: 'Present if the unit has an external id.' })
  recordSystemId?: string;

  /** Unique within the compound. */
  @Text({ example: 'PM-V-101' })
  unitId?: string;

  @Text({ example: 'garden-villa-pm-v-101' })
  declare slug?: string;

  @LocalizedText({ example: 'Garden Villa PM-V-101' })
  declare name?: Localized | null;

  @Text({ example: 'Available', description: 'For example Available, Reserved or Sold.' })
  status?: string;

  @Text({ example: 'Unavailable' })
  rentalStatus?: string;

  @Text({ example: 'primary' })
  saleType?: string;

  @Quantity({ example: 260, description: 'Built-up area in square meters.' })
  bua?: number;

  @Quantity({ example: 12_500_000 })
  price?: number;

  @Quantity({ example: 3 })
  beds?: number;

  @EmbeddedObject(Floor)
  floor?: Floor | null;

  @EmbeddedObjects(UnitMedia)
  media?: UnitMedia[];

  @EmbeddedObjects(UnitReview)
  reviews?: UnitReview[];

  @Flag()
  showForBrokers?: boolean;

  @Flag()
  isAdminOnly?: boolean;

  @Flag()
  allowToTaskeen?: boolean;

  @Ids()
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

  @List()
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
