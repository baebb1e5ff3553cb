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

/** A name as it is shown in a language. */
export interface ShownName {
  readonly name: string;
  readonly language: Language;
}

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
   * Looks for compounds by name.
   *
   * @returns finds those whose whole name, as it is shown in a language, is one of the given in any
   * case (rule LEAD-8)
   */
  async idsByName(
    organizationId: Types.ObjectId,
    names: readonly ShownName[],
  ): Promise<(name: ShownName) => Types.ObjectId[]> {
    const candidates = new Map<Language, Awaited<ReturnType<CompoundsRepository['findByNames']>>>();
    for (const language of new Set(names.map((name) => name.language))) {
      const distinct = new Set(
        names.filter((name) => name.language === language).map(({ name }) => name),
      );
      const found = await this.compounds.findByNames(organizationId, [...distinct], language);
      candidates.set(language, found);
    }
    return ({ name, language }) =>
      (candidates.get(language) ?? [])
        .filter((compound) => foldCase(textIn(compound.name, language)) === foldCase(name))
        .map(({ _id }) => _id);
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
