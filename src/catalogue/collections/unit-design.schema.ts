import { Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import type { Localized } from '../../core/localization/localized.js';
import {
  ForeignIds,
  Id,
  NullableId,
  NullableTime,
  Quantity,
  References,
  Text,
} from '../fields/fields.js';
import { LocalizedText, ObjectsOf } from '../fields/object-fields.js';
import { newSlug } from '../fields/sent-values.js';
import {
  CatalogueDocument,
  indexChanges,
  indexSlugsInAnyCase,
  Media,
} from './catalogue-document.js';

/** Its locations are phases, or compounds without phases. */
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

  @Text({ example: 'palm-meadows-garden-villa', kind: newSlug, imported: 'required' })
  declare slug?: string;

  @LocalizedText({ example: 'Three bedrooms and a garden', imported: true })
  description?: Localized | null;

  @Quantity({ example: 260, description: 'Square meters.', imported: true })
  bua?: number;

  @Quantity({ example: 3, imported: true })
  bedrooms?: number;

  @ObjectsOf(Media, { imported: true })
  media?: Media[];

  @ObjectsOf(Media, { imported: true })
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
indexSlugsInAnyCase(unitDesignSchema);
indexChanges(unitDesignSchema);
