import { ApiProperty } from '@nestjs/swagger';
import { DocumentDto } from '../catalogue/presenting/catalogue.dto.js';
import {
  PresentedBoolean,
  PresentedId,
  PresentedIds,
  PresentedList,
  PresentedLocalized,
  PresentedNullableId,
  PresentedNullableText,
  PresentedNullableTime,
  PresentedNumber,
  PresentedObject,
  PresentedObjects,
  PresentedOptionalText,
  PresentedText,
} from '../catalogue/presenting/presented-fields.js';
import {
  AmenityDto,
  PhaseDto,
  PropertyTypeDto,
  UnitDesignDto,
} from '../catalogue/references/references.dto.js';
import { PaginationDto } from '../core/http/lists/pages.js';

export class UnitMediaDto {
  @PresentedText('https://cdn.example.com/compounds/palm-meadows/entrance.jpg')
  image!: string;

  @PresentedNullableText('floorplan, or null.')
  imageType!: string | null;

  @PresentedText('image')
  type!: string;
}

export class UnitReviewDto {
  @PresentedNumber(0, '0 when nothing was found.')
  hasIssue!: number;

  @PresentedText('unitDesign')
  type!: string;

  @PresentedText('Approved')
  approveStatus!: string;

  @PresentedNullableId()
  approvedById!: string | null;

  @PresentedNullableTime()
  approvedDate!: string | null;

  @PresentedText('Reviewed')
  reviewStatus!: string;

  @PresentedNullableId()
  reviewedById!: string | null;

  @PresentedNullableTime()
  reviewedDate!: string | null;
}

export class FloorDto {
  @PresentedText('Ground')
  name!: string;
}

/** The fields of a unit's own document (rule UNIT-9). */
export class UnitFieldsDto extends DocumentDto {
  @PresentedId()
  organizationId!: string;

  @PresentedId()
  compoundId!: string;

  @PresentedId('The phase, or the compound when the unit is in no phase.')
  locationId!: string;

  @PresentedId()
  unitDesignId!: string;

  @PresentedId()
  buildingId!: string;

  @PresentedId()
  propertyTypeId!: string;

  @PresentedId()
  finishingTypeId!: string;

  @PresentedOptionalText('Present when it has an external id.')
  recordSystemId?: string;

  @PresentedText('PM-V-101')
  unitId!: string;

  @PresentedText('garden-villa-pm-v-101')
  slug!: string;

  @PresentedLocalized('Garden Villa PM-V-101', 'In the language of the request.')
  name!: string;

  @PresentedText('Available', 'Such as Available, Reserved or Sold.')
  status!: string;

  @PresentedText('Unavailable')
  rentalStatus!: string;

  @PresentedText('primary')
  saleType!: string;

  @PresentedNumber(260, 'Built-up area in square meters.')
  bua!: number;

  @PresentedNumber(12_500_000)
  price!: number;

  @PresentedNumber(3)
  beds!: number;

  @PresentedObject(FloorDto)
  floor!: FloorDto;

  @PresentedObjects(UnitMediaDto)
  media!: readonly UnitMediaDto[];

  @PresentedObjects(UnitReviewDto)
  reviews!: readonly UnitReviewDto[];

  @PresentedBoolean()
  showForBrokers!: boolean;

  @PresentedBoolean()
  isAdminOnly!: boolean;

  @PresentedBoolean()
  allowToTaskeen!: boolean;

  @PresentedIds()
  amenitiesIds!: readonly string[];

  @PresentedIds()
  paymentPlansIds!: readonly string[];

  @PresentedIds()
  maintenancePlanIds!: readonly string[];

  @PresentedIds()
  clubPlanIds!: readonly string[];

  @PresentedIds()
  featuresIds!: readonly string[];

  @PresentedIds()
  brokersIds!: readonly string[];

  @PresentedIds()
  brokersGroupsIds!: readonly string[];

  @PresentedIds()
  releaseIds!: readonly string[];

  @PresentedList()
  listingType!: readonly unknown[];

  @PresentedList()
  addons!: readonly unknown[];

  @PresentedList()
  priceByPaymentPlan!: readonly unknown[];
}

/** A unit with what it refers to (rules UNIT-9 and UNIT-10). */
export class UnitDto extends UnitFieldsDto {
  @ApiProperty({ type: [AmenityDto], description: 'Without missing and deleted ones.' })
  amenities!: readonly AmenityDto[];

  @ApiProperty({ type: PhaseDto, nullable: true, description: 'Null when missing or deleted.' })
  phase!: PhaseDto | null;

  @ApiProperty({
    type: PropertyTypeDto,
    nullable: true,
    description: 'Null when missing or deleted.',
  })
  type!: PropertyTypeDto | null;

  @ApiProperty({
    type: UnitDesignDto,
    nullable: true,
    description: 'Null when missing or deleted.',
  })
  unitDesign!: UnitDesignDto | null;
}

/** What a row of a table shows of the unit's compound. */
export class CompoundNameDto extends DocumentDto {
  @PresentedLocalized('Palm Meadows')
  name!: string;
}

/** A unit in a table (rule UNIT-7). */
export type UnitRow = UnitDto & { readonly compound: CompoundNameDto | null };

/** The columns of the CSV export in their order; a new one goes behind the others (rule UNIT-7). */
export const unitColumns = [
  '_id',
  'unitId',
  'recordSystemId',
  'name',
  'slug',
  'status',
  'rentalStatus',
  'saleType',
  'price',
  'bua',
  'beds',
  'floor',
  'type',
  'phase',
  'unitDesign',
  'amenities',
  'listingType',
  'media',
  'showForBrokers',
  'isAdminOnly',
  'allowToTaskeen',
  'organizationId',
  'locationId',
  'propertyTypeId',
  'unitDesignId',
  'buildingId',
  'finishingTypeId',
  'isDeleted',
  'createdAt',
  'updatedAt',
  'compound',
  'compoundId',
] as const satisfies readonly (keyof UnitRow)[];

export class CompoundUnitsResponseDto {
  @ApiProperty({ type: [UnitDto] })
  data!: readonly UnitDto[];
}

/** Response of `GET /units` and of the JSON export. */
export class UnitsResponseDto extends CompoundUnitsResponseDto {
  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}

export class UnitResponseDto {
  @ApiProperty({ type: UnitDto })
  data!: UnitDto;
}

export class UnitUpsertResponseDto {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  ok!: true;

  @ApiProperty({ type: String, enum: ['create', 'update'], example: 'create' })
  operation!: 'create' | 'update';

  @ApiProperty({ type: UnitDto })
  unit!: UnitDto;
}
