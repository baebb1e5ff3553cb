import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { foldCase } from '../localization/fold-case.js';
import type { Language } from '../localization/language.js';
import { textIn } from '../localization/localized.js';
import { CompoundsRepository } from './compounds.repository.js';

/** The compounds of an organization. */
@Injectable()
export class CompoundsService {
  constructor(private readonly compounds: CompoundsRepository) {}

  /**
   * The compounds whose whole name, as it is shown in a language, is the given one in any case
   * (section 4.1 rule 6, "Leads" 8).
   */
  async idsNamed(
    organizationId: Types.ObjectId,
    name: string,
    language: Language,
  ): Promise<Types.ObjectId[]> {
    const candidates = await this.compounds.findByName(organizationId, name, language);
    const isNamed = (compound: (typeof candidates)[number]) =>
      foldCase(textIn(compound.name, language)) === foldCase(name);
    return candidates.filter(isNamed).map(({ _id }) => _id);
  }

  /** The compound with a slug, null when there is none. */
  async idBySlug(organizationId: Types.ObjectId, slug: string): Promise<Types.ObjectId | null> {
    return (await this.compounds.findBySlug(organizationId, slug))?._id ?? null;
  }

  /** The compounds with one of the slugs. */
  async idsBySlugs(
    organizationId: Types.ObjectId,
    slugs: readonly string[],
  ): Promise<Types.ObjectId[]> {
    const compounds = await this.compounds.findBySlugs(organizationId, slugs);
    return compounds.map(({ _id }) => _id);
  }
}
