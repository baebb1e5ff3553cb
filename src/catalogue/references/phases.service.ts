import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Language } from '../../localization/language.js';
import { presentPhase, type PresentedPhase } from './phase.presenter.js';
import { PhasesRepository } from './phases.repository.js';

export type { PresentedPhase };

/** The phases of an organization's compounds. */
@Injectable()
export class PhasesService {
  constructor(private readonly phases: PhasesRepository) {}

  /** Those of the phases that exist, as they are shown in a language. */
  async present(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    language: Language,
  ): Promise<PresentedPhase[]> {
    const phases = await this.phases.findByIds(organizationId, ids);
    return phases.map((phase) => presentPhase(phase, language));
  }

  /** The phases with one of the slugs. */
  async idsBySlugs(
    organizationId: Types.ObjectId,
    slugs: readonly string[],
  ): Promise<Types.ObjectId[]> {
    const phases = await this.phases.findBySlugs(organizationId, slugs);
    return phases.map(({ _id }) => _id);
  }

  /** The phase of a compound with a slug, null when there is none. */
  async idInCompound(
    organizationId: Types.ObjectId,
    compoundId: Types.ObjectId,
    slug: string,
  ): Promise<Types.ObjectId | null> {
    const phases = await this.phases.findBySlugs(organizationId, [slug]);
    return phases.find(({ parentId }) => parentId?.equals(compoundId))?._id ?? null;
  }
}
