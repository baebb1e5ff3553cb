import { Injectable } from '@nestjs/common';
import type { Caller } from '../authentication/caller.js';
import { textOf } from '../database/documents/stored-values.js';
import { listText } from '../http/lists/list-text.js';
import { type Page, type PageOf, paginationOf } from '../http/lists/pages.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import {
  presentCompound,
  type PresentedCompound,
  type PresentedOrganization,
} from './compound.presenter.js';
import type { CompoundDocument } from '../catalogue/collections/compound.schema.js';
import { type CompoundSearch, CompoundsRepository } from './compounds.repository.js';

/** The lists of compounds that CRMs poll (section 4.4). */
@Injectable()
export class CompoundListsService {
  constructor(
    private readonly compounds: CompoundsRepository,
    private readonly organizations: OrganizationsRepository,
  ) {}

  /** One page. */
  async page(
    caller: Caller,
    search: CompoundSearch,
    page: Page,
  ): Promise<PageOf<PresentedCompound>> {
    const total = await this.compounds.count(caller.organizationId, search);
    const compounds =
      page.skip < total ? await this.compounds.list(caller.organizationId, search, page) : [];
    const data = await this.present(caller, compounds);
    return { data, pagination: paginationOf(data.length, page.limit, total) };
  }

  /** The whole list as the parts of its text ("Compounds" 2). */
  all(caller: Caller, search: CompoundSearch): AsyncGenerator<string, void> {
    return listText(this.presentedBatches(caller, search), (total) => ({
      pagination: paginationOf(total, total, total),
    }));
  }

  private async *presentedBatches(caller: Caller, search: CompoundSearch) {
    for await (const batch of this.compounds.batches(caller.organizationId, search)) {
      yield await this.present(caller, batch);
    }
  }

  private async present(
    caller: Caller,
    compounds: readonly CompoundDocument[],
  ): Promise<PresentedCompound[]> {
    const organization = await this.organizationOf(caller);
    return compounds.map((compound) => presentCompound(compound, organization, caller.language));
  }

  /** Read anew: what is known of the caller's organization may be seconds old. */
  private async organizationOf({ organizationId }: Caller): Promise<PresentedOrganization> {
    const document = await this.organizations.findDocument(organizationId);
    return {
      _id: organizationId.toHexString(),
      name: textOf(document?.name),
      logo: textOf(document?.logo),
    };
  }
}
