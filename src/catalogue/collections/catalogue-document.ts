import { Schema } from '@nestjs/mongoose';
import type { Schema as DocumentSchema } from 'mongoose';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { caseInsensitive } from '../../core/localization/fold-case.js';
import type { Localized } from '../../core/localization/language.js';
import { ImportedTime, PresentedDocument, Quantity, Text } from '../../core/fields/fields.js';

/** Other programs store only the required fields reliably. Classes declare their fields in the order of responses. */
@Schema()
export class CatalogueDocument extends PresentedDocument {
  @Quantity({ example: 0, description: 'An internal version key.', stored: false })
  __v?: number;

  name?: Localized | null;

  slug?: string;
}

export class Media {
  @Text({ example: 'https://cdn.example.com/compounds/palm-meadows/entrance.jpg' })
  image!: string;

  @Text({ example: 'image' })
  type!: string;
}

export class Brochure {
  @ImportedTime()
  dateUploaded!: Date;

  @Text({ example: 'Master plan' })
  name!: string;

  @Text({ example: 'https://cdn.example.com/compounds/palm-meadows/brochure.pdf' })
  url!: string;
}

export function addCaseInsensitiveSlugIndex(schema: DocumentSchema): void {
  const options = { name: 'slug-in-any-case', collation: caseInsensitive };
  schema.index({ organizationId: 1, slug: 1 }, { ...options, partialFilterExpression: notDeleted });
}
