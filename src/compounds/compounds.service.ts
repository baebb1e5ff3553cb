import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../authentication/caller.js';
import type { CompoundDocument } from '../catalogue/collections/compound.schema.js';
import { present } from '../catalogue/presenting/present.js';
import { textOf } from '../database/documents/stored-values.js';
import { listText } from '../http/lists/list-text.js';
import { type Page, type PageOf, paginationOf } from '../http/lists/pages.js';
import { foldCase } from '../localization/fold-case.js';
import type { Language } from '../localization/language.js';
import { textIn } from '../localization/localized.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { type CompoundDto, CompoundFieldsDto } from './compound.dto.js';
import { type CompoundSearch, CompoundsRepository } from './compounds.repository.js';

/** The compounds that CRMs poll, and those that a lead names. */
@Injectable()
export class CompoundsService {
  constructor(
    private readonly compounds: CompoundsRepository,
    private readonly organizations: OrganizationsRepository,
  ) {}

  /** One page (rules COMP-1 and COMP-3). */
  async page(caller: Caller, search: CompoundSearch, page: Page): Promise<PageOf<CompoundDto>> {
    const total = await this.compounds.count(caller.organizationId, search);
    const compounds =
      page.skip < total ? await this.compounds.list(caller.organizationId, search, page) : [];
    const data = await this.present(caller, compounds);
    return { data, pagination: paginationOf(data.length, page.limit, total) };
  }

  /** The whole list as the parts of its text (rule COMP-2). */
  all(caller: Caller, search: CompoundSearch): AsyncGenerator<string, void> {
    return listText(this.presentedBatches(caller, search), (total) => ({
      pagination: paginationOf(total, total, total),
    }));
  }

  /**
   * The compounds whose whole name, as it is shown in a language, is the given one in any case
   * (rule LEAD-8).
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

  private async *presentedBatches(caller: Caller, search: CompoundSearch) {
    for await (const batch of this.compounds.batches(caller.organizationId, search)) {
      yield await this.present(caller, batch);
    }
  }

  /** The organization is read anew: what is known of the caller's may be seconds old. */
  private async present(
    { organizationId, language }: Caller,
    compounds: readonly CompoundDocument[],
  ): Promise<CompoundDto[]> {
    const document = await this.organizations.findDocument(organizationId);
    const organization = {
      _id: organizationId.toHexString(),
      name: textOf(document?.name),
      logo: textOf(document?.logo),
    };
    return compounds.map((compound) =>
      Object.assign(present(CompoundFieldsDto, compound, language), { organization }),
    );
  }
}
