import { Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import {
  addChangeIndexes,
  addUniqueIndex,
  notDeleted,
} from '../../core/database/documents/tenant-document.js';
import { nameInsensitive } from '../../core/localization/fold-name.js';
import { languages, type Localized } from '../../core/localization/language.js';
import { Flag, Id, List, Quantity, Text } from '../../core/fields/fields.js';
import { EmbeddedObject, EmbeddedObjects, LocalizedText } from '../../core/fields/object-fields.js';
import {
  Brochure,
  CatalogueDocument,
  addCaseInsensitiveSlugIndex,
  Media,
} from './catalogue-document.js';

export const visibilityIndex = 'by-visibility';

@Schema({ collection: 'compounds' })
export class CompoundDocument extends CatalogueDocument {
  @Id({ stored: false })
  declare organizationId: Types.ObjectId;

  @Text({ example: 'Compound' })
  type?: string;

  @LocalizedText({ example: 'Palm Meadows' })
  declare name?: Localized | null;

  @Text({ example: 'palm-meadows' })
  declare slug?: string;

  @LocalizedText({ example: 'Villas around a lake' })
  description?: Localized | null;

  @Text({ example: 'primary', description: 'For example primary or resale.' })
  saleType?: string;

  @Text({ example: 'https://cdn.example.com/compounds/palm-meadows/logo.png' })
  logo?: string;

  @Text({ example: 'https://cdn.example.com/compounds/palm-meadows/main.jpg' })
  mainImageUrl?: string;

  @Text({ example: 'https://cdn.example.com/compounds/palm-meadows/banner.jpg' })
  mainBannerUrl?: string;

  @EmbeddedObjects(Media)
  media?: Media[];

  @EmbeddedObjects(Media)
  constructionUpdates?: Media[];

  @EmbeddedObject(Brochure, { description: 'Its fields are empty if the compound has none.' })
  mainBrochure?: Brochure | null;

  @EmbeddedObjects(Brochure)
  brochures?: Brochure[];

  @Quantity({ example: 420_000, description: 'Square meters.' })
  area?: number;

  @Quantity({ example: 1_200 })
  numberOfUnits?: number;

  @Flag()
  showOnMap?: boolean;

  @Flag()
  isPublished?: boolean;

  @Flag()
  isPublic?: boolean;

  @Flag()
  mapHealthCheck?: boolean;

  @Flag()
  isNewLaunch?: boolean;

  @Flag()
  allowPriceRange?: boolean;

  @Flag()
  showInLeadFeedback?: boolean;

  @Flag()
  isAdminOnly?: boolean;

  @Flag()
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
/** Lets the server find and count compounds hidden from public keys by the index alone. */
compoundSchema.index(
  { organizationId: 1, isDeleted: 1, isPublished: 1, isPublic: 1, isAdminOnly: 1, _id: 1 },
  { name: visibilityIndex },
);
addCaseInsensitiveSlugIndex(compoundSchema);
addChangeIndexes(compoundSchema);
/** Full copies read documents in the order of `_id`. */
compoundSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
for (const language of languages) {
  /** Leads name a compound as their project, in any spelling. */
  compoundSchema.index(
    { organizationId: 1, [`name.${language}`]: 1 },
    { name: `named-${language}`, collation: nameInsensitive, partialFilterExpression: notDeleted },
  );
}
