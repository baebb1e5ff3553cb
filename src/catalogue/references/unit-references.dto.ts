import { ApiProperty } from '@nestjs/swagger';
import {
  BrochureDto,
  IdField,
  IdsField,
  MediaDto,
  NumberField,
  RecordDto,
  ReviewedRecordDto,
  TextField,
} from '../presenting/catalogue.dto.js';
import type { PresentedPhase } from './phases.service.js';
import type {
  PresentedAmenity,
  PresentedPropertyType,
  PresentedUnitDesign,
} from './unit-references.presenter.js';

/** An amenity of a unit. */
export class AmenityDto extends RecordDto implements PresentedAmenity {
  @TextField('Swimming Pool')
  name!: string;

  @TextField('https://cdn.example.com/icons/amenities/swimming-pool.svg')
  icon!: string;

  @TextField('#0B4F6C')
  fontColor!: string;

  @TextField('#DFF3FA')
  backgroundColor!: string;
}

/** The phase of a unit. */
export class PhaseDto extends RecordDto implements PresentedPhase {
  @IdField()
  organizationId!: string;

  @IdField('The compound.')
  parentId!: string;

  @TextField('Phase')
  type!: string;

  @NumberField(90_000, 'Square meters.')
  landArea!: number;

  @TextField('https://cdn.example.com/phases/lake/main.jpg')
  mainImageUrl!: string;

  @ApiProperty({ type: [MediaDto] })
  media!: readonly MediaDto[];

  @ApiProperty({ type: [BrochureDto] })
  brochures!: readonly BrochureDto[];

  @TextField('Lake Phase')
  name!: string;

  @TextField('palm-meadows-lake')
  slug!: string;

  @TextField('The first houses by the lake')
  description!: string;
}

/** The property type of a unit. */
export class PropertyTypeDto extends RecordDto implements PresentedPropertyType {
  @IdField()
  propertyTypeCategoryId!: string;

  @IdField()
  organizationId!: string;

  @TextField('Villa')
  name!: string;

  @TextField('villa')
  slug!: string;
}

/** The design of a unit. */
export class UnitDesignDto extends ReviewedRecordDto implements PresentedUnitDesign {
  @IdField()
  organizationId!: string;

  @TextField('Garden Villa')
  name!: string;

  @TextField('palm-meadows-garden-villa')
  slug!: string;

  @TextField('Three bedrooms and a garden')
  description!: string;

  @NumberField(260, 'Square meters.')
  bua!: number;

  @NumberField(3)
  bedrooms!: number;

  @ApiProperty({ type: [MediaDto] })
  media!: readonly MediaDto[];

  @ApiProperty({ type: [MediaDto] })
  offerGallery!: readonly MediaDto[];

  @IdsField()
  amenitiesIds!: readonly string[];

  @IdsField()
  locationsIds!: readonly string[];

  @IdsField()
  addonsIds!: readonly string[];

  @IdsField()
  releaseIds!: readonly string[];

  @TextField('Villa')
  type!: string;
}
