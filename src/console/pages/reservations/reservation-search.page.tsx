import { Injectable } from '@nestjs/common';
import type { HistoryPage } from '../../../database/documents/history.js';
import type { Organization } from '../../../organizations/organization.js';
import { OrganizationDirectoryService } from '../../../organizations/organization-directory.service.js';
import {
  type ListedReservation,
  ReservationHistoryService,
} from '../../../reservations/reading/reservation-history.service.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { Card, DataTable } from '../shared/parts.js';
import { OrganizationChoice, organizationsOf, SearchForm } from '../shared/search.js';
import { reservationColumns, reservationRow } from './reservation-rows.js';

const mostFound = 50;

/** Finds reservations by their ids, units and leads. */
@Injectable()
export class ReservationSearchPage implements ConsolePage {
  readonly path = '/reservations';
  readonly title = 'reservations.title';
  readonly isInMenu = true;
  readonly actions = [
    { path: '/reservations', run: (request: PageRequest) => this.search(request) },
  ] as const;

  constructor(
    private readonly directory: OrganizationDirectoryService,
    private readonly reservations: ReservationHistoryService,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    return this.contentWith(request, null);
  }

  private async search(request: PageRequest): Promise<PageContent | Redirect> {
    const organizations = await organizationsOf(this.directory, request);
    const [organization] = organizations;
    if (organization === undefined || organizations.length > 1) {
      const choice = <OrganizationChoice request={request} organizations={organizations} />;
      return this.contentWith(request, choice);
    }
    const { _id } = organization;
    const reference = (request.form['reference'] ?? '').trim();
    const found = await this.reservations.find(_id, reference, { limit: mostFound });
    const [first] = found.items;
    if (first !== undefined && found.items.length === 1) {
      return { redirectTo: `/reservations/${_id.toHexString()}/${first._id}` };
    }
    return this.contentWith(request, <Found request={request} {...{ organization, found }} />);
  }

  private async contentWith(request: PageRequest, found: PageContent['body']) {
    const { text } = request;
    const form = (
      <SearchForm
        request={request}
        organizations={await this.directory.list()}
        path={this.path}
        label={text('reservations.reference')}
        hint={text('reservations.referenceHint')}
      >
        {found}
      </SearchForm>
    );
    return { body: form };
  }
}

function Found({
  request,
  organization,
  found: { items, next },
}: {
  readonly request: PageRequest;
  readonly organization: Organization;
  readonly found: HistoryPage<ListedReservation>;
}) {
  const { text } = request;
  if (items.length === 0) {
    return <p>{text('shared.nothingFound', { hint: text('reservations.noneHint') })}</p>;
  }
  return (
    <Card title={text('shared.found')}>
      <DataTable
        request={request}
        caption={organization.name}
        columns={reservationColumns(request)}
        rows={items.map((one) => reservationRow(request, organization._id.toHexString(), one))}
      />
      {next !== null && <p class="note">{text('shared.more', { count: items.length })}</p>}
    </Card>
  );
}
