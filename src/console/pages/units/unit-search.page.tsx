import { Injectable } from '@nestjs/common';
import type { Organization } from '../../../organizations/organization.js';
import { OrganizationDirectoryService } from '../../../organizations/organization-directory.service.js';
import { type FoundUnit, UnitLookupService } from '../../../units/reading/unit-lookup.service.js';
import { UnitLink } from '../reservations/reservation-rows.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { Card, Code, DataTable } from '../shared/parts.js';
import { OrganizationChoice, organizationsOf, SearchForm } from '../shared/search.js';

/** Finds units by their ids. */
@Injectable()
export class UnitSearchPage implements ConsolePage {
  readonly path = '/units';
  readonly title = 'units.title';
  readonly isInMenu = true;
  readonly actions = [
    { path: '/units', run: (request: PageRequest) => this.search(request) },
  ] as const;

  constructor(
    private readonly directory: OrganizationDirectoryService,
    private readonly units: UnitLookupService,
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
    const units = await this.units.find(_id, (request.form['reference'] ?? '').trim());
    const [first] = units;
    if (first !== undefined && units.length === 1) {
      return { redirectTo: `/units/${_id.toHexString()}/${first._id}` };
    }
    return this.contentWith(request, <Found request={request} {...{ organization, units }} />);
  }

  private async contentWith(request: PageRequest, found: PageContent['body']) {
    const { text } = request;
    const form = (
      <SearchForm
        request={request}
        organizations={await this.directory.list()}
        path={this.path}
        label={text('units.reference')}
        hint={text('units.referenceHint')}
      >
        {found}
      </SearchForm>
    );
    return { body: form };
  }
}

/** Few units have one id. */
function Found({
  request,
  organization,
  units,
}: {
  readonly request: PageRequest;
  readonly organization: Organization;
  readonly units: readonly FoundUnit[];
}) {
  const { text } = request;
  if (units.length === 0) {
    return <p>{text('shared.nothingFound', { hint: text('units.noneHint') })}</p>;
  }
  return (
    <Card title={text('shared.found')}>
      <DataTable
        request={request}
        caption={organization.name}
        columns={[
          text('shared.unit'),
          text('unit.unitId'),
          text('shared.externalId'),
          text('shared.status'),
        ]}
        rows={units.map(({ _id, slug, unitId, recordSystemId, status }) => [
          <UnitLink organizationId={organization._id.toHexString()} unitId={_id}>
            {slug ?? _id}
          </UnitLink>,
          <Code>{unitId ?? '–'}</Code>,
          <Code>{recordSystemId ?? '–'}</Code>,
          status ?? '–',
        ])}
      />
    </Card>
  );
}
