import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BooleanField,
  IdField,
  IdsField,
  ListField,
  MediaDto,
  NumberField,
  RecordDto,
  TextField,
} from '../../catalogue/presenting/catalogue.dto.js';
import { PaginationDto } from '../../http/lists/pagination.dto.js';
import {
  AmenityDto,
  PhaseDto,
  PropertyTypeDto,
  UnitDesignDto,
} from '../../catalogue/references/unit-references.dto.js';
import type { PresentedUnit, PresentedUnitMedia, PresentedUnitReview } from './unit.presenter.js';

/** A picture of a unit. */
export class UnitMediaDto extends MediaDto implements PresentedUnitMedia {
  @ApiProperty({ type: String, nullable: true, description: 'floorplan, or null.', example: null })
  imageType!: string | null;
}

/** The review of one aspect of a unit. */
export class UnitReviewDto implements PresentedUnitReview {
  @NumberField(0, '0 when nothing was found.')
  hasIssue!: number;

  @TextField('unitDesign')
  type!: string;

  @TextField('Approved')
  approveStatus!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  approvedById!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  approvedDate!: string | null;

  @TextField('Reviewed')
  reviewStatus!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  reviewedById!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  reviewedDate!: string | null;
}

/** The storey of a unit. */
export class FloorDto {
  @TextField('Ground')
  name!: string;
}

/** A unit (section 2.7). */
export class UnitDto extends RecordDto implements PresentedUnit {
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

  @ApiPropertyOptional({ type: String, description: 'Present when it has an external id.' })
  recordSystemId?: string;

  @TextField('PM-V-101')
  unitId!: string;

  @TextField('Garden Villa PM-V-101', 'In the language of the request.')
  name!: string;

  @TextField('garden-villa-pm-v-101')
  slug!: string;

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

  @ApiProperty({ type: FloorDto })
  floor!: FloorDto;

  @ApiProperty({ type: [UnitMediaDto] })
  media!: readonly UnitMediaDto[];

  @ApiProperty({ type: [UnitReviewDto] })
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

  @ApiProperty({ type: [AmenityDto], description: 'Without missing and deleted ones.' })
  amenities!: readonly AmenityDto[];

  @ApiProperty({ type: PhaseDto, nullable: true, description: 'Null when missing or deleted.' })
  phase!: PhaseDto | null;

  @ApiProperty({ type: PropertyTypeDto, nullable: true, description: 'Likewise.' })
  type!: PropertyTypeDto | null;

  @ApiProperty({ type: UnitDesignDto, nullable: true, description: 'Likewise.' })
  unitDesign!: UnitDesignDto | null;
}

/** Answer of `GET /compounds/:slug/units`. */
export class CompoundUnitsAnswerDto {
  @ApiProperty({ type: [UnitDto] })
  data!: readonly UnitDto[];
}

/** Answer of `GET /units` and of the export. */
export class UnitsAnswerDto extends CompoundUnitsAnswerDto {
  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}

/** Answer of `GET /units/:slug`. */
export class UnitAnswerDto {
  @ApiProperty({ type: UnitDto })
  data!: UnitDto;
}

/** Answer of `POST /units`. */
export class UnitUpsertDto {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  ok!: true;

  @ApiProperty({ type: String, enum: ['create', 'update'], example: 'create' })
  operation!: 'create' | 'update';

  @ApiProperty({ type: UnitDto })
  unit!: UnitDto;
}
