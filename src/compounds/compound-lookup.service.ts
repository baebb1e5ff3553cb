import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { CompoundDocument } from '../catalogue/collections/compound.schema.js';
import { CatalogueRepository } from '../catalogue/catalogue.repository.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import { notDeleted } from '../core/database/documents/tenant-document.js';
import { looseCollation, caseSpellings, foldCase } from '../core/localization/fold-case.js';
import {
  defaultLanguage,
  type Language,
  type Localized,
  textIn,
} from '../core/localization/language.js';

export interface ShownName {
  readonly name: string;
  readonly language: Language;
}

@Injectable()
export class CompoundLookupService {
  constructor(
    @InjectCollection('Compound') private readonly compounds: TenantCollection<CompoundDocument>,
    private readonly catalogue: CatalogueRepository,
  ) {}

  /** The names of compounds, deleted ones included, by their ids. */
  namesOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, Partial<Localized>>> {
    return this.catalogue.compoundNames(organizationId, ids);
  }

  /** Reads compounds that may have one of the names in any case, as shown in its language (rule LEAD-8). */
  async idsByName(
    organizationId: Types.ObjectId,
    names: readonly ShownName[],
  ): Promise<(name: ShownName) => Types.ObjectId[]> {
    const byLanguage = Map.groupBy(names, ({ language }) => language);
    const found = new Map<string, Types.ObjectId[]>();
    const keyOf = ({ name, language }: ShownName) => `${language} ${foldCase(name)}`;
    for (const [language, ofLanguage] of byLanguage) {
      const $in = [...new Set(ofLanguage.flatMap(({ name }) => caseSpellings(name)))];
      // The default language also stands for a missing translation.
      const $or = [...new Set([language, defaultLanguage])].map((one) => ({
        [`name.${one}`]: { $in },
      }));
      const compounds = await this.compounds.find(
        organizationId,
        { $or, ...notDeleted },
        // Leads link them: the compounds must not be rolled back later.
        { fields: ['name'], sort: { _id: 1 }, collation: looseCollation, readConcern: 'majority' },
      );
      for (const { _id, name } of compounds) {
        const key = keyOf({ name: textIn(name, language), language });
        found.set(key, [...(found.get(key) ?? []), _id]);
      }
    }
    return (name) => found.get(keyOf(name)) ?? [];
  }
}
