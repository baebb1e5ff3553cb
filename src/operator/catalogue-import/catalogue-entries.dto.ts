import { OmitType } from '@nestjs/swagger';
import {
  BooleanField,
  ExternalIdField,
  ItemsField,
  NestedField,
  QuantityField,
  ShortTextField,
  SlugField,
  TextListField,
  TimeField,
  UrlField,
} from '../../core/validation/fields.js';
import { UnitFields } from '../../units/unit.dto.js';

const required = { required: true };
const unlimited = { maxItems: Infinity };

class Translations {
  @ShortTextField(required)
  'en-us'!: string;

  @ShortTextField()
  'ar-eg'?: string;
}

class MediaInput {
  @UrlField(required)
  image!: string;

  @ShortTextField()
  type = 'image';
}

class BrochureInput {
  @TimeField(required)
  dateUploaded!: Date;

  @ShortTextField(required)
  name!: string;

  @UrlField(required)
  url!: string;
}

export class PropertyTypeEntry {
  @NestedField(Translations, required)
  name!: Translations;

  @SlugField(required)
  slug!: string;
}

export class AmenityEntry {
  @NestedField(Translations, required)
  name!: Translations;

  @UrlField()
  icon?: string;

  @ShortTextField()
  fontColor?: string;

  @ShortTextField()
  backgroundColor?: string;

  @SlugField(required)
  slug!: string;
}

export class CompoundEntry {
  @ShortTextField()
  type?: string;

  @NestedField(Translations, required)
  name!: Translations;

  @SlugField(required)
  slug!: string;

  @NestedField(Translations)
  description?: Translations;

  @ShortTextField()
  saleType?: string;

  @UrlField()
  logo?: string;

  @UrlField()
  mainImageUrl?: string;

  @UrlField()
  mainBannerUrl?: string;

  @ItemsField(MediaInput, unlimited)
  media?: MediaInput[];

  @ItemsField(MediaInput, unlimited)
  constructionUpdates?: MediaInput[];

  @NestedField(BrochureInput)
  mainBrochure?: BrochureInput;

  @ItemsField(BrochureInput, unlimited)
  brochures?: BrochureInput[];

  @QuantityField()
  area?: number;

  @QuantityField()
  numberOfUnits?: number;

  @BooleanField()
  showOnMap?: boolean;

  @BooleanField()
  isPublished?: boolean;

  @BooleanField()
  isPublic?: boolean;

  @BooleanField()
  mapHealthCheck?: boolean;

  @BooleanField()
  isNewLaunch?: boolean;

  @BooleanField()
  allowPriceRange?: boolean;

  @BooleanField()
  showInLeadFeedback?: boolean;

  @BooleanField()
  isAdminOnly?: boolean;

  @BooleanField()
  showInEcommerce?: boolean;
}

export class PhaseEntry {
  @ShortTextField(required)
  compound!: string;

  @ShortTextField()
  type?: string;

  @QuantityField()
  landArea?: number;

  @UrlField()
  mainImageUrl?: string;

  @ItemsField(MediaInput, unlimited)
  media?: MediaInput[];

  @ItemsField(BrochureInput, unlimited)
  brochures?: BrochureInput[];

  @NestedField(Translations, required)
  name!: Translations;

  @SlugField(required)
  slug!: string;

  @NestedField(Translations)
  description?: Translations;
}

export class UnitDesignEntry {
  @NestedField(Translations, required)
  name!: Translations;

  @SlugField(required)
  slug!: string;

  @NestedField(Translations)
  description?: Translations;

  @QuantityField()
  bua?: number;

  @QuantityField()
  bedrooms?: number;

  @ItemsField(MediaInput, unlimited)
  media?: MediaInput[];

  @ItemsField(MediaInput, unlimited)
  offerGallery?: MediaInput[];

  @TextListField()
  amenities?: string[];

  @TextListField()
  phases?: string[];

  @ShortTextField()
  type?: string;
}

/** Unlike requests, imports identify each unit completely, and name it by language. */
export class UnitEntry extends OmitType(UnitFields, ['compound', 'unitId', 'name']) {
  @ShortTextField(required)
  compound!: string;

  @ExternalIdField(required)
  unitId!: string;

  @SlugField(required)
  slug!: string;

  @NestedField(Translations, required)
  name!: Translations;
}
