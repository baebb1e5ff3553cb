import { ApiProperty } from '@nestjs/swagger';
import { DocumentDto } from '../catalogue/presenting/catalogue.dto.js';
import {
  BooleanField,
  IdField,
  IdsField,
  ListField,
  LocalizedField,
  NullableIdField,
  NullableTextField,
  NullableTimeField,
  NumberField,
  ObjectField,
  ObjectsField,
  OptionalTextField,
  TextField,
} from '../catalogue/presenting/fields.js';
import {
  AmenityDto,
  PhaseDto,
  PropertyTypeDto,
  UnitDesignDto,
} from '../catalogue/references/references.dto.js';
import { PaginationDto } from '../http/lists/pagination.dto.js';

export class UnitMediaDto {
  @TextField('https://cdn.example.com/compounds/palm-meadows/entrance.jpg')
  image!: string;

  @NullableTextField('floorplan, or null.')
  imageType!: string | null;

  @TextField('image')
  type!: string;
}

export class UnitReviewDto {
  @NumberField(0, '0 when nothing was found.')
  hasIssue!: number;

  @TextField('unitDesign')
  type!: string;

  @TextField('Approved')
  approveStatus!: string;

  @NullableIdField()
  approvedById!: string | null;

  @NullableTimeField()
  approvedDate!: string | null;

  @TextField('Reviewed')
  reviewStatus!: string;

  @NullableIdField()
  reviewedById!: string | null;

  @NullableTimeField()
  reviewedDate!: string | null;
}

export class FloorDto {
  @TextField('Ground')
  name!: string;
}

/** The fields of a unit's own document (rule UNIT-9). */
export class UnitFieldsDto extends DocumentDto {
  @IdField()
  organizationId!: string;

  @IdField('The phase, or the compound when the unit is in no phase.')
  locationId!: string;

  @IdField()
  unitDesignId!: string;

  @IdField()
  buildingId!: string;

  @IdField()
  propertyTypeId!: string;

  @IdField()
  finishingTypeId!: string;

  @OptionalTextField('Present when it has an external id.')
  recordSystemId?: string;

  @TextField('PM-V-101')
  unitId!: string;

  @TextField('garden-villa-pm-v-101')
  slug!: string;

  @LocalizedField('Garden Villa PM-V-101', 'In the language of the request.')
  name!: string;

  @TextField('Available', 'Such as Available, Reserved or Sold.')
  status!: string;

  @TextField('Unavailable')
  rentalStatus!: string;

  @TextField('primary')
  saleType!: string;

  @NumberField(260, 'Built-up area in square meters.')
  bua!: number;

  @NumberField(12_500_000)
  price!: number;

  @NumberField(3)
  beds!: number;

  @ObjectField(FloorDto)
  floor!: FloorDto;

  @ObjectsField(UnitMediaDto)
  media!: readonly UnitMediaDto[];

  @ObjectsField(UnitReviewDto)
  reviews!: readonly UnitReviewDto[];

  @BooleanField()
  showForBrokers!: boolean;

  @BooleanField()
  isAdminOnly!: boolean;

  @BooleanField()
  allowToTaskeen!: boolean;

  @IdsField()
  amenitiesIds!: readonly string[];

  @IdsField()
  paymentPlansIds!: readonly string[];

  @IdsField()
  maintenancePlanIds!: readonly string[];

  @IdsField()
  clubPlanIds!: readonly string[];

  @IdsField()
  featuresIds!: readonly string[];

  @IdsField()
  brokersIds!: readonly string[];

  @IdsField()
  brokersGroupsIds!: readonly string[];

  @IdsField()
  releaseIds!: readonly string[];

  @ListField()
  listingType!: readonly unknown[];

  @ListField()
  addons!: readonly unknown[];

  @ListField()
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
] as const satisfies readonly (keyof UnitDto)[];

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
