import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { CatalogueDocument, indexChanges } from './catalogue-document.js';

/** An amenity that units and unit designs refer to; its slug is not shown. */
@Schema({ collection: 'amenities' })
export class AmenityDocument extends CatalogueDocument {
  @Prop()
  icon?: string;

  @Prop()
  fontColor?: string;

  @Prop()
  backgroundColor?: string;
}

export const amenitySchema = SchemaFactory.createForClass(AmenityDocument);

/** Serves the amenities of an organization. */
amenitySchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
/** Serves finding an amenity by its slug. */
amenitySchema.index({ organizationId: 1, slug: 1 }, { name: 'slug' });
indexChanges(amenitySchema);
