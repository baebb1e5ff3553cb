import { Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import type { Localized } from '../../core/localization/localized.js';
import { Id, Quantity, Reference, Text } from '../fields/fields.js';
import { LocalizedText, ObjectsOf } from '../fields/object-fields.js';
import { newSlug, webAddress } from '../fields/sent-values.js';
import {
  Brochure,
  CatalogueDocument,
  indexChanges,
  indexSlugsInAnyCase,
  Media,
} from './catalogue-document.js';

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

  @Text({
    example: 'https://cdn.example.com/phases/lake/main.jpg',
    kind: webAddress,
    imported: true,
  })
  mainImageUrl?: string;

  @ObjectsOf(Media, { imported: true })
  media?: Media[];

  @ObjectsOf(Brochure, { imported: true })
  brochures?: Brochure[];

  @LocalizedText({ example: 'Lake Phase', imported: 'required' })
  declare name?: Localized | null;

  @Text({ example: 'palm-meadows-lake', kind: newSlug, imported: 'required' })
  declare slug?: string;

  @LocalizedText({ example: 'The first houses by the lake', imported: true })
  description?: Localized | null;
}

export const phaseSchema = SchemaFactory.createForClass(PhaseDocument);

phaseSchema.index({ organizationId: 1, parentId: 1 }, { name: 'byCompound' });
phaseSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexSlugsInAnyCase(phaseSchema);
indexChanges(phaseSchema);
