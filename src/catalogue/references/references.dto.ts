import {
  BrochureDto,
  DocumentDto,
  MediaDto,
  ReviewedDocumentDto,
} from '../presenting/catalogue.dto.js';
import {
  PresentedId,
  PresentedIds,
  PresentedLocalized,
  PresentedNumber,
  PresentedObjects,
  PresentedText,
} from '../presenting/presented-fields.js';

/** An amenity as units show it (rule UNIT-10). */
export class AmenityDto extends DocumentDto {
  @PresentedLocalized('Swimming Pool')
  name!: string;

  @PresentedText('https://cdn.example.com/icons/amenities/swimming-pool.svg')
  icon!: string;

  @PresentedText('#0B4F6C')
  fontColor!: string;

  @PresentedText('#DFF3FA')
  backgroundColor!: string;
}

/** A phase as units show it (rule UNIT-10). */
export class PhaseDto extends DocumentDto {
  @PresentedId()
  organizationId!: string;

  @PresentedId('The compound.')
  parentId!: string;

  @PresentedText('Phase')
  type!: string;

  @PresentedNumber(90_000, 'Square meters.')
  landArea!: number;

  @PresentedText('https://cdn.example.com/phases/lake/main.jpg')
  mainImageUrl!: string;

  @PresentedObjects(MediaDto)
  media!: readonly MediaDto[];

  @PresentedObjects(BrochureDto)
  brochures!: readonly BrochureDto[];

  @PresentedLocalized('Lake Phase')
  name!: string;

  @PresentedText('palm-meadows-lake')
  slug!: string;

  @PresentedLocalized('The first houses by the lake')
  description!: string;
}

/** A property type as units show it (rule UNIT-10). */
export class PropertyTypeDto extends DocumentDto {
  @PresentedId()
  propertyTypeCategoryId!: string;

  @PresentedId()
  organizationId!: string;

  @PresentedLocalized('Villa')
  name!: string;

  @PresentedText('villa')
  slug!: string;
}

/** A unit design as units show it (rule UNIT-10). */
export class UnitDesignDto extends ReviewedDocumentDto {
  @PresentedId()
  organizationId!: string;

  @PresentedLocalized('Garden Villa')
  name!: string;

  @PresentedText('palm-meadows-garden-villa')
  slug!: string;

  @PresentedLocalized('Three bedrooms and a garden')
  description!: string;

  @PresentedNumber(260, 'Square meters.')
  bua!: number;

  @PresentedNumber(3)
  bedrooms!: number;

  @PresentedObjects(MediaDto)
  media!: readonly MediaDto[];

  @PresentedObjects(MediaDto)
  offerGallery!: readonly MediaDto[];

  @PresentedIds()
  amenitiesIds!: readonly string[];

  @PresentedIds()
  locationsIds!: readonly string[];

  @PresentedIds()
  addonsIds!: readonly string[];

  @PresentedIds()
  releaseIds!: readonly string[];

  @PresentedText('Villa')
  type!: string;
}
