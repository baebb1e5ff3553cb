import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import type { Localized } from '../../core/localization/localized.js';
import {
  CatalogueDocument,
  indexChanges,
  indexSlugsInAnyCase,
  localized,
  type MediaItem,
  type ReviewState,
} from './catalogue-document.js';

/** A unit design; its locations are phases, or the compound that has none. */
@Schema({ collection: 'unitDesigns' })
export class UnitDesignDocument extends CatalogueDocument implements Partial<ReviewState> {
  @Prop(localized)
  description?: Localized | null;

  @Prop()
  bua?: number;

  @Prop()
  bedrooms?: number;

  @Prop({ type: [] })
  media?: MediaItem[];

  @Prop({ type: [] })
  offerGallery?: MediaItem[];

  @Prop({ type: [SchemaTypes.ObjectId] })
  amenitiesIds?: Types.ObjectId[];

  @Prop({ type: [SchemaTypes.ObjectId] })
  locationsIds?: Types.ObjectId[];

  @Prop({ type: [] })
  addonsIds?: Types.ObjectId[];

  @Prop({ type: [] })
  releaseIds?: Types.ObjectId[];

  @Prop({ type: String })
  type?: string;

  @Prop({ type: String })
  approveStatus?: string;

  @Prop({ type: SchemaTypes.ObjectId })
  approvedById?: Types.ObjectId | null;

  @Prop({ type: Date })
  approvedDate?: Date | null;

  @Prop({ type: String })
  reviewStatus?: string;

  @Prop({ type: SchemaTypes.ObjectId })
  reviewedById?: Types.ObjectId | null;

  @Prop({ type: Date })
  reviewedDate?: Date | null;
}

export const unitDesignSchema = SchemaFactory.createForClass(UnitDesignDocument);

/** Serves finding a unit design by its slug. */
unitDesignSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexSlugsInAnyCase(unitDesignSchema);
indexChanges(unitDesignSchema);
