import { addChangeIndexes } from '../../core/database/documents/tenant-document.js';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Localized } from '../../core/localization/language.js';
import {
  ForeignIds,
  Id,
  Ids,
  NullableId,
  NullableTime,
  Quantity,
  Text,
} from '../../core/fields/fields.js';
import { EmbeddedObjects, LocalizedText } from '../../core/fields/object-fields.js';
import {
  Brochure,
  CatalogueDocument,
  Media,
  addCaseInsensitiveSlugIndex,
} from './catalogue-document.js';
import type { Types } from 'mongoose';

// Units refer to documents of these kinds, and to compounds (rule UNIT-10).

@Schema({ collection: 'amenities' })
export class AmenityDocument extends CatalogueDocument {
  @LocalizedText({ example: 'Swimming Pool' })
  declare name?: Localized | null;

  @Text({ example: 'https://cdn.example.com/icons/amenities/swimming-pool.svg' })
  icon?: string;

  @Text({ example: '#0B4F6C' })
  fontColor?: string;

  @Text({ example: '#DFF3FA' })
  backgroundColor?: string;

  @Prop({ type: String })
  declare slug?: string;
}

export const amenitySchema = SchemaFactory.createForClass(AmenityDocument);

amenitySchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
amenitySchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
addChangeIndexes(amenitySchema);

@Schema({ collection: 'propertyTypes' })
export class PropertyTypeDocument extends CatalogueDocument {
  @Id()
  propertyTypeCategoryId?: Types.ObjectId;

  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @LocalizedText({ example: 'Villa' })
  declare name?: Localized | null;

  @Text({ example: 'villa' })
  declare slug?: string;
}

export const propertyTypeSchema = SchemaFactory.createForClass(PropertyTypeDocument);

propertyTypeSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
addChangeIndexes(propertyTypeSchema);

@Schema({ collection: 'phases' })
export class PhaseDocument extends CatalogueDocument {
  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @Id({ description: 'The compound.' })
  parentId?: Types.ObjectId | null;

  @Text({ example: 'Phase' })
  type?: string;

  @Quantity({ example: 90_000, description: 'Square meters.' })
  landArea?: number;

  @Text({ example: 'https://cdn.example.com/phases/lake/main.jpg' })
  mainImageUrl?: string;

  @EmbeddedObjects(Media)
  media?: Media[];

  @EmbeddedObjects(Brochure)
  brochures?: Brochure[];

  @LocalizedText({ example: 'Lake Phase' })
  declare name?: Localized | null;

  @Text({ example: 'palm-meadows-lake' })
  declare slug?: string;

  @LocalizedText({ example: 'The first houses by the lake' })
  description?: Localized | null;
}

export const phaseSchema = SchemaFactory.createForClass(PhaseDocument);

phaseSchema.index({ organizationId: 1, parentId: 1 }, { name: 'byCompound' });
phaseSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
addCaseInsensitiveSlugIndex(phaseSchema);
addChangeIndexes(phaseSchema);

/** A location is a phase, or a compound without phases. */
@Schema({ collection: 'unitDesigns' })
export class UnitDesignDocument extends CatalogueDocument {
  @Text({ example: 'Approved' })
  approveStatus?: string;

  @NullableId()
  approvedById?: Types.ObjectId | null;

  @NullableTime()
  approvedDate?: Date | null;

  @Text({ example: 'Reviewed' })
  reviewStatus?: string;

  @NullableId()
  reviewedById?: Types.ObjectId | null;

  @NullableTime()
  reviewedDate?: Date | null;

  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @LocalizedText({ example: 'Garden Villa' })
  declare name?: Localized | null;

  @Text({ example: 'palm-meadows-garden-villa' })
  declare slug?: string;

  @LocalizedText({ example: 'Three bedrooms and a garden' })
  description?: Localized | null;

  @Quantity({ example: 260, description: 'Square meters.' })
  bua?: number;

  @Quantity({ example: 3 })
  bedrooms?: number;

  @EmbeddedObjects(Media)
  media?: Media[];

  @EmbeddedObjects(Media)
  offerGallery?: Media[];

  @Ids()
  amenitiesIds?: Types.ObjectId[];

  @Ids()
  locationsIds?: Types.ObjectId[];

  @ForeignIds()
  addonsIds?: Types.ObjectId[];

  @ForeignIds()
  releaseIds?: Types.ObjectId[];

  @Text({ example: 'Villa' })
  type?: string;
}

export const unitDesignSchema = SchemaFactory.createForClass(UnitDesignDocument);

unitDesignSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
addCaseInsensitiveSlugIndex(unitDesignSchema);
addChangeIndexes(unitDesignSchema);
