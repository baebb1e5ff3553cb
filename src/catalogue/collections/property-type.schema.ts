import { Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import type { Localized } from '../../core/localization/localized.js';
import { Id, Text } from '../fields/fields.js';
import { LocalizedText } from '../fields/object-fields.js';
import { newSlug } from '../fields/sent-values.js';
import { CatalogueDocument, indexChanges } from './catalogue-document.js';

@Schema({ collection: 'propertyTypes' })
export class PropertyTypeDocument extends CatalogueDocument {
  @Id()
  propertyTypeCategoryId?: Types.ObjectId;

  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @LocalizedText({ example: 'Villa', imported: 'required' })
  declare name?: Localized | null;

  @Text({ example: 'villa', kind: newSlug, imported: 'required' })
  declare slug?: string;
}

export const propertyTypeSchema = SchemaFactory.createForClass(PropertyTypeDocument);

propertyTypeSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexChanges(propertyTypeSchema);
