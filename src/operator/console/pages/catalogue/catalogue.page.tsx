import { Injectable } from '@nestjs/common';
import { CatalogueOverviewService } from '../../../catalogue-import/catalogue-overview.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { importFields } from '../../../views/catalogue.js';
import { consolePath } from '../../layout/layout.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { FieldTable } from '../shared/fields.js';
import { Card } from '../shared/parts.js';
import { organizationLabel } from '../shared/search.js';
import { UnitBars } from './unit-bars.js';

/** More imports, and compounds with fewer units, are not shown. */
const limits = { mostImports: 20, mostCompounds: 40 };

/** What was imported when, and which units there are to sell. */
@Injectable()
export class CataloguePage implements ConsolePage {
  readonly path = '/catalogue';
  readonly title = 'catalogue.title';
  readonly isInMenu = true;

  constructor(
    private readonly directory: OrganizationsRepository,
    private readonly catalogues: CatalogueOverviewService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const { text, query } = request;
    const organizations = await this.directory.listByName();
    const [first] = organizations;
    if (first === undefined) return { body: <p>{text('catalogue.noOrganization')}</p> };
    const id = query['org'] ?? first._id.toHexString();
    const chosen = organizations.find(({ _id }) => _id.toHexString() === id);
    if (chosen === undefined) return null;
    const overview = await this.catalogues.read(chosen._id, limits);
    const body = (
      <>
        <Choice {...{ request, organizations, chosen }} />
        <Card title={text('catalogue.units')}>
          <UnitBars request={request} overview={overview} />
        </Card>
        <FieldTable
          request={request}
          title={text('catalogue.imports')}
          fields={importFields}
          items={overview.imports}
          ifEmpty={text('catalogue.noImports')}
        />
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
    <form method="get" action={`${consolePath}/catalogue`} class="search">
      <label for="org">{text('shared.organization')}</label>
      <select id="org" name="org">
        {organizations.map((one) => (
          <option key={one._id} value={one._id.toHexString()} selected={one === chosen}>
            {organizationLabel(one)}
          </option>
        ))}
      </select>
      <button type="submit">{text('catalogue.show')}</button>
    </form>
  );
}
