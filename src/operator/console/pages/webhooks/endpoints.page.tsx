import { Injectable } from '@nestjs/common';
import { parseObjectId } from '../../../../core/database/documents/object-id.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { organizationsMeant } from '../../../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { WebhookEndpointsService } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { FailingEndpointsService } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import { WebhookStatisticsService } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import { endpointSummaryFields } from '../../../views/webhook.js';
import { consolePath } from '../../layout/layout.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { FieldTable } from '../shared/fields.js';
import { Link } from '../shared/parts.js';
import { OrganizationChoice, OrganizationField } from '../shared/search.js';
import { curveFields } from './curves.js';

const endpointsOnPage = 20;

/** Where events are sent, and how that goes. */
@Injectable()
export class EndpointsPage implements ConsolePage {
  readonly path = '/webhooks';
  readonly title = 'webhooks.title';
  readonly isInMenu = true;

  constructor(
    private readonly directory: OrganizationsRepository,
    private readonly endpoints: WebhookEndpointsService,
    private readonly statistics: WebhookStatisticsService,
    private readonly failing: FailingEndpointsService,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    const wanted = (request.query['organization'] ?? '').trim();
    const organizations = await this.directory.listByName();
    const chosen = organizationsMeant(organizations, wanted);
    const isClear = wanted === '' || chosen.length === 1;
    return {
      body: (
        <>
          <Filter request={request} organizations={organizations} />
          {isClear ? (
            await this.listOf(request, chosen[0], organizations)
          ) : (
            <OrganizationChoice request={request} organizations={chosen} />
          )}
        </>
      ),
    };
  }

  private async listOf(
    request: PageRequest,
    organization: Organization | undefined,
    organizations: readonly Organization[],
  ) {
    const { text, query } = request;
    const older = parseObjectId(query['older'] ?? '') ?? undefined;
    const page = { older, limit: endpointsOnPage };
    const { items, next } = await this.endpoints.listPage(organization?._id, page);
    const [figures, ...healths] = await Promise.all([
      this.statistics.lastDay(items),
      ...items.map((endpoint) => this.failing.health(endpoint)),
    ]);
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    return (
      <FieldTable
        request={request}
        title={text('webhooks.endpoints')}
        caption={text('webhooks.caption')}
        fields={[...endpointSummaryFields, ...curveFields(request)]}
        items={items.map((endpoint, index) => ({
          ...endpoint,
          health: healths[index],
          organizationName: names.get(endpoint.organizationId),
          figures: figures.get(endpoint._id),
        }))}
        next={next}
        part="older"
      />
    );
  }
}

function Filter({
  request,
  organizations,
}: {
  readonly request: PageRequest;
  readonly organizations: readonly Organization[];
}) {
  const { text, query } = request;
  return (
    <form method="get" action={`${consolePath}/webhooks`} class="card search">
      <OrganizationField
        request={request}
        organizations={organizations}
        value={query['organization']}
        isRequired={false}
      />
      <button type="submit">{text('webhooks.filter')}</button>{' '}
      <Link to="/webhooks">{text('webhooks.all')}</Link>
    </form>
  );
}
