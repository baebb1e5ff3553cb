import { Injectable } from '@nestjs/common';
import type { ComponentChildren } from 'preact';
import { LeadInspectionService } from '../../../../leads/inspection/lead-inspection.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import {
  organizationsMeant,
  OrganizationDirectoryService,
} from '../../../../tenants/organizations/organization-directory.service.js';
import { ReservationHistoryService } from '../../../../reservations/reading/reservation-history.service.js';
import { UnitLookupService } from '../../../../units/reading/unit-lookup.service.js';
import { recordPath } from '../../../views/field.js';
import { leadListFields } from '../../../views/lead.js';
import { reservationListFields } from '../../../views/reservation.js';
import { unitListFields } from '../../../views/unit.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { FieldTable } from './fields.js';
import { OrganizationChoice, OrganizationField } from './search.js';

/** More hits of a kind are not shown. */
const mostFound = 50;

/**
 * Finds leads, reservations and units of one organization by any reference. A single hit is opened.
 * The address does not contain the reference: it may be a phone.
 */
@Injectable()
export class SearchPage implements ConsolePage {
  readonly path = '/search';
  readonly title = 'search.title';
  readonly isInMenu = true;
  readonly actions = [{ path: this.path, run: (request: PageRequest) => this.search(request) }];

  constructor(
    private readonly directory: OrganizationDirectoryService,
    private readonly leads: LeadInspectionService,
    private readonly reservations: ReservationHistoryService,
    private readonly units: UnitLookupService,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    return pageWith(request, await this.directory.list(), null);
  }

  private async search(request: PageRequest): Promise<PageContent | Redirect> {
    const all = await this.directory.list();
    const meant = organizationsMeant(all, request.form['organization'] ?? '');
    const [organization] = meant;
    if (organization === undefined || meant.length > 1) {
      const choice = <OrganizationChoice request={request} organizations={meant} />;
      return pageWith(request, all, choice);
    }
    const { _id } = organization;
    const reference = (request.form['reference'] ?? '').trim();
    const [{ leads, hasMore }, reservations, units] = await Promise.all([
      this.leads.find(organization, reference, mostFound),
      this.reservations.find(_id, reference, { limit: mostFound }),
      this.units.find(_id, reference),
    ]);
    const { text } = request;
    const organizationId = _id.toHexString();
    const hits = [
      ...leads.map((lead) => recordPath('leads', organizationId, lead._id)),
      ...reservations.items.map((one) => recordPath('reservations', organizationId, one._id)),
      ...units.map((unit) => recordPath('units', organizationId, unit._id)),
    ];
    const [redirectTo] = hits;
    if (redirectTo === undefined) return pageWith(request, all, <p>{text('search.none')}</p>);
    if (hits.length === 1) return { redirectTo };
    const tables = { request, organizationId, isHiddenIfEmpty: true };
    return pageWith(
      request,
      all,
      <>
        <FieldTable
          {...tables}
          title={text('search.leads')}
          fields={leadListFields}
          items={leads}
          next={hasMore ? '' : null}
        />
        <FieldTable
          {...tables}
          title={text('shared.reservations')}
          fields={reservationListFields}
          {...reservations}
        />
        <FieldTable
          {...tables}
          title={text('search.units')}
          fields={unitListFields}
          items={units}
        />
      </>,
    );
  }
}

function pageWith(
  request: PageRequest,
  organizations: readonly Organization[],
  result: ComponentChildren,
): PageContent {
  const { form, text } = request;
  const body = (
    <>
      <form method="post" action={`${consolePath}/search`} class="card search">
        <FormToken request={request} />
        <OrganizationField
          request={request}
          organizations={organizations}
          value={form['organization']}
        />
        <p>
          <label for="reference">{text('search.reference')}</label>
          <input
            id="reference"
            name="reference"
            value={form['reference'] ?? ''}
            required
            maxLength={1_024}
            autocomplete="off"
            aria-describedby="reference-hint"
          />
          <small id="reference-hint">{text('search.hint')}</small>
        </p>
        <button type="submit">{text('search.submit')}</button>
      </form>
      <div role="status">{result}</div>
    </>
  );
  return { body };
}
