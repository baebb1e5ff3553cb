import { Injectable } from '@nestjs/common';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import { ReservationHistoryService } from '../../../../reservations/reading/reservation-history.service.js';
import type { PageRequest } from '../page.js';
import { mostFound, SearchPage, type SearchResult } from '../shared/search-page.js';
import { reservationColumns, reservationRow } from './reservation-rows.js';

/** Finds reservations by their ids, units and leads. */
@Injectable()
export class ReservationSearchPage extends SearchPage {
  constructor(
    directory: OrganizationDirectoryService,
    private readonly reservations: ReservationHistoryService,
  ) {
    super('reservations', directory);
  }

  protected async find(
    request: PageRequest,
    { _id }: Organization,
    reference: string,
  ): Promise<SearchResult> {
    const { items, next } = await this.reservations.find(_id, reference, { limit: mostFound });
    const hits = items.map((reservation) => ({
      id: reservation._id,
      cells: reservationRow(request, _id.toHexString(), reservation),
    }));
    return { columns: reservationColumns(request), hits, hasMore: next !== null };
  }
}
