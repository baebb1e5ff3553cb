import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { BatchOptions, TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import { notDeleted } from '../database/documents/tenant-document.js';
import type { TenantFilter } from '../database/documents/tenant-filter.js';
import { caseInsensitive } from '../localization/fold-case.js';
import { defaultLanguage, type Language } from '../localization/language.js';
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
    options: BatchOptions,
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

  /** Compounds that may be shown under a name in a language; the comparison ignores case. */
  async findByName(
    organizationId: Types.ObjectId,
    name: string,
    language: Language,
  ): Promise<Pick<CompoundDocument, '_id' | 'name'>[]> {
    return this.compounds.find(
      organizationId,
      { ...shownAs(name, language), ...notDeleted },
      { fields: ['name'], sort: { _id: 1 }, collation: caseInsensitive },
    );
  }
}

function shownAs(name: string, language: Language): TenantFilter<CompoundDocument> {
  if (language === defaultLanguage) return { [`name.${language}`]: name };
  const untranslated = { [`name.${language}`]: { $in: [null, ''] } };
  return {
    $or: [{ [`name.${language}`]: name }, { ...untranslated, [`name.${defaultLanguage}`]: name }],
  };
}
