import { Injectable } from '@nestjs/common';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import { UnitLookupService } from '../../../../units/reading/unit-lookup.service.js';
import type { PageRequest } from '../page.js';
import { UnitLink } from '../reservations/reservation-rows.js';
import { Code } from '../shared/parts.js';
import { SearchPage, type SearchResult } from '../shared/search-page.js';

/** Finds units by their ids; few have the same one. */
@Injectable()
export class UnitSearchPage extends SearchPage {
  constructor(
    directory: OrganizationDirectoryService,
    private readonly units: UnitLookupService,
  ) {
    super('units', directory);
  }

  protected async find(
    { text }: PageRequest,
    organization: Organization,
    reference: string,
  ): Promise<SearchResult> {
    const units = await this.units.find(organization._id, reference);
    const hits = units.map(({ _id, slug, unitId, recordSystemId, status }) => ({
      id: _id,
      cells: [
        <UnitLink organizationId={organization._id.toHexString()} unitId={_id}>
          {slug ?? _id}
        </UnitLink>,
        <Code>{unitId ?? '–'}</Code>,
        <Code>{recordSystemId ?? '–'}</Code>,
        status ?? '–',
      ],
    }));
    const columns = [
      text('shared.unit'),
      text('unit.unitId'),
      text('shared.externalId'),
      text('shared.status'),
    ];
    return { columns, hits, hasMore: false };
  }
}
