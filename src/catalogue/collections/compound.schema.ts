import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { caseCandidates } from '../../core/localization/fold-case.js';
import { languages } from '../../core/localization/language.js';
import type { Localized } from '../../core/localization/localized.js';
import {
  type Brochure,
  CatalogueDocument,
  indexChanges,
  indexSlugsInAnyCase,
  localized,
  type MediaItem,
} from './catalogue-document.js';

/** A compound: what phases and units belong to. */
@Schema({ collection: 'compounds' })
export class CompoundDocument extends CatalogueDocument {
  @Prop()
  type?: string;

  @Prop(localized)
  description?: Localized | null;

  @Prop()
  saleType?: string;

  @Prop()
  logo?: string;

  @Prop()
  mainImageUrl?: string;

  @Prop()
  mainBannerUrl?: string;

  @Prop({ type: [] })
  media?: MediaItem[];

  @Prop({ type: [] })
  constructionUpdates?: MediaItem[];

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  mainBrochure?: Brochure | null;

  @Prop({ type: [] })
  brochures?: Brochure[];

  @Prop()
  area?: number;

  @Prop()
  numberOfUnits?: number;

  @Prop()
  showOnMap?: boolean;

  @Prop()
  isPublished?: boolean;

  @Prop()
  isPublic?: boolean;

  @Prop()
  mapHealthCheck?: boolean;

  @Prop()
  isNewLaunch?: boolean;

  @Prop()
  allowPriceRange?: boolean;

  @Prop()
  showInLeadFeedback?: boolean;

  @Prop()
  isAdminOnly?: boolean;

  @Prop()
  showInEcommerce?: boolean;

  @Prop({ type: [] })
  EOIUnitTypes?: unknown[];

  @Prop({ type: [] })
  EOIUnitPreferences?: unknown[];

  @Prop({ type: [] })
  EOIForm?: unknown[];

  @Prop({ type: [] })
  offerJsons?: unknown[];

  @Prop({ type: [] })
  commercialBuildingsOrder?: unknown[];
}

export const compoundSchema = SchemaFactory.createForClass(CompoundDocument);

/** A slug names one compound of an organization. */
compoundSchema.index(
  { organizationId: 1, slug: 1 },
  {
    name: 'slug',
    unique: true,
    partialFilterExpression: { ...notDeleted, slug: { $exists: true } },
  },
);
/** Serves the list, newest first, and its number without reading the documents. */
compoundSchema.index(
  { organizationId: 1, isDeleted: 1, createdAt: -1, _id: -1 },
  { name: 'by-createdAt' },
);
/** Serves the list of what changed since a time, oldest change first, deleted ones included. */
indexSlugsInAnyCase(compoundSchema);
indexChanges(compoundSchema);
/** Serves copying all of an organization in the order of ids. */
compoundSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
for (const language of languages) {
  /** Serves linking a lead to the compounds that have a name, in any case. */
  compoundSchema.index(
    { organizationId: 1, [`name.${language}`]: 1 },
    { name: `named-${language}`, collation: caseCandidates, partialFilterExpression: notDeleted },
  );
}
