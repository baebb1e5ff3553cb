import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { foldCase } from '../core/localization/fold-case.js';
import type { Language } from '../core/localization/language.js';
import { textIn } from '../core/localization/localized.js';
import { CompoundsRepository } from './compounds.repository.js';

/** A name as it is shown in a language. */
export interface ShownName {
  readonly name: string;
  readonly language: Language;
}

/** Finds the compounds that leads name. */
@Injectable()
export class CompoundLookupService {
  constructor(private readonly compounds: CompoundsRepository) {}

  /**
   * Looks for compounds by name.
   *
   * @returns finds those whose whole name, as it is shown in a language, is one of the given in any
   * case (rule LEAD-8)
   */
  async idsByName(
    organizationId: Types.ObjectId,
    names: readonly ShownName[],
  ): Promise<(name: ShownName) => Types.ObjectId[]> {
    const found = new Map<Language, ReadonlyMap<string, { readonly _id: Types.ObjectId }[]>>();
    for (const language of new Set(names.map((name) => name.language))) {
      const distinct = new Set(
        names.filter((name) => name.language === language).map(({ name }) => name),
      );
      const candidates = await this.compounds.findByNames(organizationId, [...distinct], language);
      found.set(
        language,
        Map.groupBy(candidates, (compound) => foldCase(textIn(compound.name, language))),
      );
    }
    return ({ name, language }) =>
      (found.get(language)?.get(foldCase(name)) ?? []).map(({ _id }) => _id);
  }
}
