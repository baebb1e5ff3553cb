import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import { notDeleted } from '../database/documents/tenant-document.js';
import type { TenantFilter } from '../database/documents/tenant-filter.js';
import { caseCandidates, caseSpellings } from '../localization/fold-case.js';
import { defaultLanguage, type Language } from '../localization/language.js';
import type { CompoundDocument } from '../catalogue/collections/compound.schema.js';

/** Which compounds are listed. */
export interface CompoundSearch {
  readonly updatedSince?: Date;
  readonly includesDeleted: boolean;
}

const newestFirst = { createdAt: -1, _id: -1 } as const;
const oldestChangeFirst = { updatedAt: 1, _id: 1 } as const;

@Injectable()
export class CompoundsRepository {
  constructor(
    @InjectCollection('Compound') private readonly compounds: TenantCollection<CompoundDocument>,
  ) {}

  /** A part of the list, newest first, or oldest change first when changes are asked for. */
  async list(
    organizationId: Types.ObjectId,
    search: CompoundSearch,
    part: { readonly skip: number; readonly limit: number },
  ): Promise<CompoundDocument[]> {
    return this.compounds.find(organizationId, filterOf(search), {
      sort: orderOf(search),
      ...part,
    });
  }

  /** The whole list in the same order. */
  batches(
    organizationId: Types.ObjectId,
    search: CompoundSearch,
  ): AsyncGenerator<CompoundDocument[], void> {
    return this.compounds.batches(organizationId, filterOf(search), { sort: orderOf(search) });
  }

  async count(organizationId: Types.ObjectId, search: CompoundSearch): Promise<number> {
    return this.compounds.count(organizationId, filterOf(search));
  }

  /** Compounds that may be shown under one of the names in a language, in any case. */
  async findByNames(
    organizationId: Types.ObjectId,
    names: readonly string[],
    language: Language,
  ): Promise<Pick<CompoundDocument, '_id' | 'name'>[]> {
    return this.compounds.find(
      organizationId,
      { ...shownAs(names, language), ...notDeleted },
      { fields: ['name'], sort: { _id: 1 }, collation: caseCandidates },
    );
  }
}

function filterOf({
  updatedSince,
  includesDeleted,
}: CompoundSearch): TenantFilter<CompoundDocument> {
  return {
    ...(includesDeleted ? {} : notDeleted),
    ...(updatedSince === undefined ? {} : { updatedAt: { $gte: updatedSince } }),
  };
}

function orderOf({ updatedSince }: CompoundSearch) {
  return updatedSince === undefined ? newestFirst : oldestChangeFirst;
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
