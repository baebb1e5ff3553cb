import { Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { addUniqueIndex, notDeleted } from '../../core/database/documents/tenant-document.js';
import { nameInsensitive } from '../../core/localization/fold-name.js';
import { languages, type Localized } from '../../core/localization/language.js';
import { Flag, Id, List, Quantity, Slug, Text, Url } from '../../core/fields/fields.js';
import { EmbeddedObject, EmbeddedObjects, LocalizedText } from '../../core/fields/object-fields.js';
import {
  Brochure,
  CatalogueDocument,
  indexChanges,
  addCaseInsensitiveSlugIndex,
  Media,
} from './catalogue-document.js';

@Schema({ collection: 'compounds' })
export class CompoundDocument extends CatalogueDocument {
  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @Text({ example: 'Compound', imported: true })
  type?: string;

  @LocalizedText({ example: 'Palm Meadows', imported: 'required' })
  declare name?: Localized | null;

  @Slug({ example: 'palm-meadows', imported: 'required' })
  declare slug?: string;

  @LocalizedText({ example: 'Villas around a lake', imported: true })
  description?: Localized | null;

  @Text({ example: 'primary', description: 'For example primary or resale.', imported: true })
  saleType?: string;

  @Url({ example: 'https://cdn.example.com/compounds/palm-meadows/logo.png', imported: true })
  logo?: string;

  @Url({ example: 'https://cdn.example.com/compounds/palm-meadows/main.jpg', imported: true })
  mainImageUrl?: string;

  @Url({ example: 'https://cdn.example.com/compounds/palm-meadows/banner.jpg', imported: true })
  mainBannerUrl?: string;

  @EmbeddedObjects(Media, { imported: true })
  media?: Media[];

  @EmbeddedObjects(Media, { imported: true })
  constructionUpdates?: Media[];

  @EmbeddedObject(Brochure, {
    description: 'Its fields are empty if the compound has none.',
    imported: true,
  })
  mainBrochure?: Brochure | null;

  @EmbeddedObjects(Brochure, { imported: true })
  brochures?: Brochure[];

  @Quantity({ example: 420_000, description: 'Square meters.', imported: true })
  area?: number;

  @Quantity({ example: 1_200, imported: true })
  numberOfUnits?: number;

  @Flag({ imported: true })
  showOnMap?: boolean;

  @Flag({ imported: true })
  isPublished?: boolean;

  @Flag({ imported: true })
  isPublic?: boolean;

  @Flag({ imported: true })
  mapHealthCheck?: boolean;

  @Flag({ imported: true })
  isNewLaunch?: boolean;

  @Flag({ imported: true })
  allowPriceRange?: boolean;

  @Flag({ imported: true })
  showInLeadFeedback?: boolean;

  @Flag({ imported: true })
  isAdminOnly?: boolean;

  @Flag({ imported: true })
  showInEcommerce?: boolean;

  @List()
  EOIUnitTypes?: unknown[];

  @List()
  EOIUnitPreferences?: unknown[];

  @List()
  EOIForm?: unknown[];

  @List()
  offerJsons?: unknown[];

  @List()
  commercialBuildingsOrder?: unknown[];
}

export const compoundSchema = SchemaFactory.createForClass(CompoundDocument);

addUniqueIndex(compoundSchema, 'slug');
/** With `isDeleted` in the index, the server counts without reading documents. */
compoundSchema.index(
  { organizationId: 1, isDeleted: 1, createdAt: -1, _id: -1 },
  { name: 'by-createdAt' },
);
addCaseInsensitiveSlugIndex(compoundSchema);
indexChanges(compoundSchema);
/** Full copies read documents in the order of `_id`. */
compoundSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
for (const language of languages) {
  /** Leads name a compound as their project, in any spelling. */
  compoundSchema.index(
    { organizationId: 1, [`name.${language}`]: 1 },
    { name: `named-${language}`, collation: nameInsensitive, partialFilterExpression: notDeleted },
  );
}
