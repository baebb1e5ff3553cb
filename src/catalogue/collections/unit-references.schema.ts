import { Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Localized } from '../../core/localization/language.js';
import {
  ForeignIds,
  Id,
  NullableId,
  NullableTime,
  Quantity,
  Reference,
  References,
  Slug,
  Text,
  Url,
} from '../../core/fields/fields.js';
import { EmbeddedObjects, LocalizedText } from '../../core/fields/object-fields.js';
import {
  Brochure,
  CatalogueDocument,
  Media,
  indexChanges,
  addCaseInsensitiveSlugIndex,
} from './catalogue-document.js';
import type { Types } from 'mongoose';

// Units refer to documents of these kinds, and to compounds (rule UNIT-10).

@Schema({ collection: 'amenities' })
export class AmenityDocument extends CatalogueDocument {
  @LocalizedText({ example: 'Swimming Pool', imported: 'required' })
  declare name?: Localized | null;

  @Url({ example: 'https://cdn.example.com/icons/amenities/swimming-pool.svg', imported: true })
  icon?: string;

  @Text({ example: '#0B4F6C', imported: true })
  fontColor?: string;

  @Text({ example: '#DFF3FA', imported: true })
  backgroundColor?: string;

  @Slug({ imported: 'required', shown: false })
  declare slug?: string;
}

export const amenitySchema = SchemaFactory.createForClass(AmenityDocument);

amenitySchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
amenitySchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexChanges(amenitySchema);

@Schema({ collection: 'propertyTypes' })
export class PropertyTypeDocument extends CatalogueDocument {
  @Id()
  propertyTypeCategoryId?: Types.ObjectId;

  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @LocalizedText({ example: 'Villa', imported: 'required' })
  declare name?: Localized | null;

  @Slug({ example: 'villa', imported: 'required' })
  declare slug?: string;
}

export const propertyTypeSchema = SchemaFactory.createForClass(PropertyTypeDocument);

propertyTypeSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexChanges(propertyTypeSchema);

@Schema({ collection: 'phases' })
export class PhaseDocument extends CatalogueDocument {
  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @Reference('compounds', {
    as: 'compound',
    imported: 'required',
    description: 'The compound.',
  })
  parentId?: Types.ObjectId | null;

  @Text({ example: 'Phase', imported: true })
  type?: string;

  @Quantity({ example: 90_000, description: 'Square meters.', imported: true })
  landArea?: number;

  @Url({ example: 'https://cdn.example.com/phases/lake/main.jpg', imported: true })
  mainImageUrl?: string;

  @EmbeddedObjects(Media, { imported: true })
  media?: Media[];

  @EmbeddedObjects(Brochure, { imported: true })
  brochures?: Brochure[];

  @LocalizedText({ example: 'Lake Phase', imported: 'required' })
  declare name?: Localized | null;

  @Slug({ example: 'palm-meadows-lake', imported: 'required' })
  declare slug?: string;

  @LocalizedText({ example: 'The first houses by the lake', imported: true })
  description?: Localized | null;
}

export const phaseSchema = SchemaFactory.createForClass(PhaseDocument);

phaseSchema.index({ organizationId: 1, parentId: 1 }, { name: 'byCompound' });
phaseSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
addCaseInsensitiveSlugIndex(phaseSchema);
indexChanges(phaseSchema);

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

  @LocalizedText({ example: 'Garden Villa', imported: 'required' })
  declare name?: Localized | null;

  @Slug({ example: 'palm-meadows-garden-villa', imported: 'required' })
  declare slug?: string;

  @LocalizedText({ example: 'Three bedrooms and a garden', imported: true })
  description?: Localized | null;

  @Quantity({ example: 260, description: 'Square meters.', imported: true })
  bua?: number;

  @Quantity({ example: 3, imported: true })
  bedrooms?: number;

  @EmbeddedObjects(Media, { imported: true })
  media?: Media[];

  @EmbeddedObjects(Media, { imported: true })
  offerGallery?: Media[];

  @References('amenities', { as: 'amenities' })
  amenitiesIds?: Types.ObjectId[];

  @References('phases', { as: 'phases' })
  locationsIds?: Types.ObjectId[];

  @ForeignIds()
  addonsIds?: Types.ObjectId[];

  @ForeignIds()
  releaseIds?: Types.ObjectId[];

  @Text({ example: 'Villa', imported: true })
  type?: string;
}

export const unitDesignSchema = SchemaFactory.createForClass(UnitDesignDocument);

unitDesignSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
addCaseInsensitiveSlugIndex(unitDesignSchema);
indexChanges(unitDesignSchema);
