import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import { notDeleted } from '../core/database/documents/tenant-document.js';
import type { TenantFilter } from '../core/database/documents/tenant-filter.js';
import type { BatchOptions } from '../core/database/documents/tenant-operations.js';
import { caseCandidates, caseSpellings } from '../core/localization/fold-case.js';
import { defaultLanguage, type Language } from '../core/localization/language.js';
import { newestChange } from '../catalogue/references/references.repository.js';
import type { CompoundDocument } from '../catalogue/collections/compound.schema.js';

@Injectable()
export class CompoundsRepository {
  constructor(
    @InjectCollection('Compound') private readonly compounds: TenantCollection<CompoundDocument>,
  ) {}

  /** The compounds that match, in an order. */
  batches(
    organizationId: Types.ObjectId,
    filter: TenantFilter<CompoundDocument>,
    options: BatchOptions<CompoundDocument>,
  ): AsyncGenerator<CompoundDocument[], void> {
    return this.compounds.batches(organizationId, filter, options);
  }

  async count(
    organizationId: Types.ObjectId,
    filter: TenantFilter<CompoundDocument>,
  ): Promise<number> {
    return this.compounds.count(organizationId, filter);
  }

  /** Whether a program has deleted one since a time by `deletedAt` without setting `updatedAt`. */
  async hasDeletedWithoutUpdate(organizationId: Types.ObjectId, since: Date): Promise<boolean> {
    const filter = { deletedAt: { $gte: since }, updatedAt: { $lt: since } };
    return (await this.compounds.findOne(organizationId, filter, { fields: ['_id'] })) !== null;
  }

  async newestChange(organizationId: Types.ObjectId): Promise<Date> {
    return newestChange([this.compounds], organizationId);
  }

  /** Compounds that may be shown under one of the names in a language, in any case; only what cannot be taken back. */
  async findByNames(
    organizationId: Types.ObjectId,
    names: readonly string[],
    language: Language,
  ): Promise<Pick<CompoundDocument, '_id' | 'name'>[]> {
    return this.compounds.find(
      organizationId,
      { ...shownAs(names, language), ...notDeleted },
      { fields: ['name'], sort: { _id: 1 }, collation: caseCandidates, readConcern: 'majority' },
    );
  }
}

function shownAs(names: readonly string[], language: Language): TenantFilter<CompoundDocument> {
  const $in = names.flatMap(caseSpellings);
  if (language === defaultLanguage) return { [`name.${language}`]: { $in } };
  const untranslated = { [`name.${language}`]: { $in: [null, ''] } };
  return {
    $or: [
      { [`name.${language}`]: { $in } },
      { ...untranslated, [`name.${defaultLanguage}`]: { $in } },
    ],
  };
}
