import { IntersectionType, OmitType } from '@nestjs/swagger';
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

class NamedEntry {
  @NestedField(Translations, required)
  name!: Translations;

  @SlugField(required)
  slug!: string;
}

class DescribedEntry extends NamedEntry {
  @NestedField(Translations)
  description?: Translations;
}

export class PropertyTypeEntry extends NamedEntry {}

export class AmenityEntry extends NamedEntry {
  @UrlField()
  icon?: string;

  @ShortTextField()
  fontColor?: string;

  @ShortTextField()
  backgroundColor?: string;
}

export class CompoundEntry extends DescribedEntry {
  @ShortTextField()
  type?: string;

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

export class PhaseEntry extends DescribedEntry {
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
}

export class UnitDesignEntry extends DescribedEntry {
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
export class UnitEntry extends IntersectionType(
  OmitType(UnitFields, ['compound', 'unitId', 'name']),
  NamedEntry,
) {
  @ShortTextField(required)
  compound!: string;

  @ExternalIdField(required)
  unitId!: string;

  @BooleanField()
  isAdminOnly?: boolean;
}
