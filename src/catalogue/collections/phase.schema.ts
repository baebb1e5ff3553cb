import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import type { Localized } from '../../core/localization/localized.js';
import {
  type Brochure,
  CatalogueDocument,
  indexChanges,
  indexSlugsInAnyCase,
  localized,
  type MediaItem,
} from './catalogue-document.js';

/** A phase of a compound, which is its parent. */
@Schema({ collection: 'phases' })
export class PhaseDocument extends CatalogueDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  parentId?: Types.ObjectId | null;

  @Prop()
  type?: string;

  @Prop(localized)
  description?: Localized | null;

  @Prop()
  landArea?: number;

  @Prop()
  mainImageUrl?: string;

  @Prop({ type: [] })
  media?: MediaItem[];

  @Prop({ type: [] })
  brochures?: Brochure[];
}

export const phaseSchema = SchemaFactory.createForClass(PhaseDocument);

/** Serves the phases of a compound. */
phaseSchema.index({ organizationId: 1, parentId: 1 }, { name: 'byCompound' });
/** Serves finding phases by their slugs. */
phaseSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexSlugsInAnyCase(phaseSchema);
indexChanges(phaseSchema);
