import { Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Localized } from '../../core/localization/localized.js';
import { Text } from '../fields/fields.js';
import { LocalizedText } from '../fields/object-fields.js';
import { newSlug, webAddress } from '../fields/sent-values.js';
import { CatalogueDocument, indexChanges } from './catalogue-document.js';

@Schema({ collection: 'amenities' })
export class AmenityDocument extends CatalogueDocument {
  @LocalizedText({ example: 'Swimming Pool', imported: 'required' })
  declare name?: Localized | null;

  @Text({
    example: 'https://cdn.example.com/icons/amenities/swimming-pool.svg',
    kind: webAddress,
    imported: true,
  })
  icon?: string;

  @Text({ example: '#0B4F6C', imported: true })
  fontColor?: string;

  @Text({ example: '#DFF3FA', imported: true })
  backgroundColor?: string;

  @Text({ kind: newSlug, imported: 'required', shown: false })
  declare slug?: string;
}

export const amenitySchema = SchemaFactory.createForClass(AmenityDocument);

amenitySchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
amenitySchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexChanges(amenitySchema);
