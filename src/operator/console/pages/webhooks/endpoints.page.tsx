import { endpointSummaryFields } from '../../../views/webhook.js';
import type { ConsolePage } from '../page.js';
import { FieldTable } from '../shared/tables.js';
import { chosenOrganization, namesOf, OrganizationFilter } from '../shared/organizations.js';
import { keysetRequestOf } from '../shared/components.js';
import { sparklineFields } from './sparklines.js';

export const endpointsPage: ConsolePage = {
  path: '/webhooks',
  title: 'webhooks.title',
  isInMenu: true,
  async read(request) {
    const { text, services } = request;
    const organizations = await services.organizations.listByName();
    const chosen = chosenOrganization(request, organizations);
    const part = keysetRequestOf(request, 'older');
    const { items, next } = await services.endpoints.listPage(chosen?._id, part);
    const names = namesOf(organizations);
    const endpoints = await Promise.all(
      items.map(async (endpoint) => ({
        ...endpoint,
        health: await services.webhookStatistics.health(endpoint),
        organizationName: names.get(endpoint.organizationId),
        hours: await services.webhookStatistics.lastDay(endpoint),
      })),
    );
    const body = (
      <>
        <OrganizationFilter organizations={organizations} chosen={chosen} />
        <FieldTable
          title={text('webhooks.title')}
          caption={text('webhooks.caption')}
          fields={[...endpointSummaryFields, ...sparklineFields]}
          items={endpoints}
          next={next}
          part="older"
        />
      </>
    );
    return { body };
  },
};
