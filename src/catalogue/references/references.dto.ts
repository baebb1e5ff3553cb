import {
  BrochureDto,
  DocumentDto,
  MediaDto,
  ReviewedDocumentDto,
} from '../presenting/catalogue.dto.js';
import {
  IdField,
  IdsField,
  LocalizedField,
  NumberField,
  ObjectsField,
  TextField,
} from '../presenting/fields.js';

/** An amenity as units show it (rule UNIT-10). */
export class AmenityDto extends DocumentDto {
  @LocalizedField('Swimming Pool')
  name!: string;

  @TextField('https://cdn.example.com/icons/amenities/swimming-pool.svg')
  icon!: string;

  @TextField('#0B4F6C')
  fontColor!: string;

  @TextField('#DFF3FA')
  backgroundColor!: string;
}

/** A phase as units show it (rule UNIT-10). */
export class PhaseDto extends DocumentDto {
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

  @ObjectsField(MediaDto)
  media!: readonly MediaDto[];

  @ObjectsField(BrochureDto)
  brochures!: readonly BrochureDto[];

  @LocalizedField('Lake Phase')
  name!: string;

  @TextField('palm-meadows-lake')
  slug!: string;

  @LocalizedField('The first houses by the lake')
  description!: string;
}

/** A property type as units show it (rule UNIT-10). */
export class PropertyTypeDto extends DocumentDto {
  @IdField()
  propertyTypeCategoryId!: string;

  @IdField()
  organizationId!: string;

  @LocalizedField('Villa')
  name!: string;

  @TextField('villa')
  slug!: string;
}

/** A unit design as units show it (rule UNIT-10). */
export class UnitDesignDto extends ReviewedDocumentDto {
  @IdField()
  organizationId!: string;

  @LocalizedField('Garden Villa')
  name!: string;

  @TextField('palm-meadows-garden-villa')
  slug!: string;

  @LocalizedField('Three bedrooms and a garden')
  description!: string;

  @NumberField(260, 'Square meters.')
  bua!: number;

  @NumberField(3)
  bedrooms!: number;

  @ObjectsField(MediaDto)
  media!: readonly MediaDto[];

  @ObjectsField(MediaDto)
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
