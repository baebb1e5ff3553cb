import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { CatalogueDocument, indexChanges } from './catalogue-document.js';

/** A kind of property, such as a villa. */
@Schema({ collection: 'propertyTypes' })
export class PropertyTypeDocument extends CatalogueDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  propertyTypeCategoryId?: Types.ObjectId;
}

export const propertyTypeSchema = SchemaFactory.createForClass(PropertyTypeDocument);

/** Serves finding a property type by its slug. */
propertyTypeSchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexChanges(propertyTypeSchema);
