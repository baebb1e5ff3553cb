import { Injectable } from '@nestjs/common';
import {
  type CatalogueOverview,
  CatalogueOverviewService,
} from '../../../../catalogue/import/catalogue-overview.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import { consolePath } from '../../layout/layout.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { Card, DataTable, numeric, When } from '../shared/parts.js';
import { organizationLabel } from '../shared/search.js';
import { UnitBars } from './unit-bars.js';

const mostImports = 20;
/** Those with most units. */
const mostCompounds = 40;

/** What was imported when, and which units there are to sell. */
@Injectable()
export class CataloguePage implements ConsolePage {
  readonly path = '/catalogue';
  readonly title = 'catalogue.title';
  readonly isInMenu = true;

  constructor(
    private readonly directory: OrganizationDirectoryService,
    private readonly catalogues: CatalogueOverviewService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const { text, query } = request;
    const organizations = await this.directory.list();
    const [first] = organizations;
    if (first === undefined) return { body: <p>{text('catalogue.noOrganization')}</p> };
    const id = query['org'] ?? first._id.toHexString();
    const chosen = organizations.find(({ _id }) => _id.toHexString() === id);
    if (chosen === undefined) return null;
    const limits = { mostImports, mostCompounds };
    const overview = await this.catalogues.read(chosen._id, limits);
    const body = (
      <>
        <Choice request={request} organizations={organizations} chosen={chosen} />
        <Card title={text('catalogue.units')}>
          <UnitBars request={request} overview={overview} />
        </Card>
        <Card title={text('catalogue.imports')}>
          <Imports request={request} overview={overview} />
        </Card>
      </>
    );
    return { body };
  }
}

function Choice({
  request: { text },
  organizations,
  chosen,
}: {
  readonly request: PageRequest;
  readonly organizations: readonly Organization[];
  readonly chosen: Organization;
}) {
  return (
    <form method="get" action={`${consolePath}/catalogue`} class="choice">
      <label for="org">{text('shared.organization')}</label>
      <select id="org" name="org">
        {organizations.map((organization) => {
          const { _id } = organization;
          const id = _id.toHexString();
          return (
            <option key={id} value={id} selected={_id.equals(chosen._id)}>
              {organizationLabel(organization)}
            </option>
          );
        })}
      </select>
      <button type="submit">{text('catalogue.show')}</button>
    </form>
  );
}

function Imports({
  request,
  overview: { imports },
}: {
  readonly request: PageRequest;
  readonly overview: CatalogueOverview;
}) {
  const { text } = request;
  const rows = imports.map(({ createdAt, state, done, total, counts }) => [
    <When request={request} time={createdAt} />,
    <span class={state === 'finished' ? 'good' : 'warn'}>{text(`catalogue.state.${state}`)}</span>,
    text('catalogue.ofEntries', { done, total }),
    counts.reduce((sum, { created }) => sum + created, 0),
    counts.reduce((sum, { updated }) => sum + updated, 0),
  ]);
  return (
    <DataTable
      request={request}
      label={text('catalogue.imports')}
      columns={[
        text('catalogue.begun'),
        text('shared.state'),
        text('catalogue.entries'),
        numeric(text('catalogue.created')),
        numeric(text('catalogue.updated')),
      ]}
      rows={rows}
      ifEmpty={text('catalogue.noImports')}
    />
  );
}
