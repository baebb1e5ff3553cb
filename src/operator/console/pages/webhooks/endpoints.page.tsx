import { Injectable } from '@nestjs/common';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { WebhookEndpointsService } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { FailingEndpointsService } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import { WebhookStatisticsService } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import { endpointSummaryFields } from '../../../views/webhook.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { FieldTable } from '../shared/fields.js';
import { chosenOrganizations, OrganizationFilter } from '../shared/organizations.js';
import { curveFields } from './curves.js';

const endpointsPerPage = 20;

@Injectable()
export class EndpointsPage implements ConsolePage {
  readonly path = '/webhooks';
  readonly title = 'webhooks.title';
  readonly isInMenu = true;

  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly endpoints: WebhookEndpointsService,
    private readonly statistics: WebhookStatisticsService,
    private readonly failing: FailingEndpointsService,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    const organizations = await this.organizations.listByName();
    const chosen = chosenOrganizations(request, organizations);
    const isClear = chosen === null || chosen.length === 1;
    return {
      body: (
        <>
          <OrganizationFilter organizations={organizations} chosen={chosen} />
          {isClear && (await this.listOf(request, chosen?.[0], organizations))}
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
    const page = { older, limit: endpointsPerPage };
    const { items, next } = await this.endpoints.listPage(organization?._id, page);
    const [statistics, ...healths] = await Promise.all([
      this.statistics.lastDay(items),
      ...items.map((endpoint) => this.failing.health(endpoint)),
    ]);
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    return (
      <FieldTable
        title={text('webhooks.endpoints')}
        caption={text('webhooks.caption')}
        fields={[...endpointSummaryFields, ...curveFields(request)]}
        items={items.map((endpoint, index) => ({
          ...endpoint,
          health: healths[index],
          organizationName: names.get(endpoint.organizationId),
          statistics: statistics.get(endpoint._id),
        }))}
        next={next}
        part="older"
      />
    );
  }
}
