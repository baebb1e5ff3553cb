import { Injectable } from '@nestjs/common';
import { LeadInspectionService } from '../../../../leads/inspection/lead-inspection.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import type { PageRequest } from '../page.js';
import { mostFound, SearchPage, type SearchResult } from '../shared/search-page.js';
import { leadColumns, leadRow } from './lead-rows.js';

/** Finds leads by their ids, phones and emails. */
@Injectable()
export class LeadSearchPage extends SearchPage {
  constructor(
    directory: OrganizationDirectoryService,
    private readonly leads: LeadInspectionService,
  ) {
    super('leads', directory);
  }

  protected async find(
    request: PageRequest,
    organization: Organization,
    reference: string,
  ): Promise<SearchResult> {
    const { leads, hasMore } = await this.leads.find(organization, reference, mostFound);
    const hits = leads.map((lead) => ({
      id: lead._id,
      cells: leadRow(request, organization._id.toHexString(), lead),
    }));
    return { columns: leadColumns(request), hits, hasMore };
  }
}
