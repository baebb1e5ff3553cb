import { Types } from 'mongoose';
import type { EndpointWithStats } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { endpointStateField } from '../../../views/endpoint-state.js';
import { endpointBacklogFields } from '../../../views/webhook.js';
import { keysetRequestOf, Link } from '../../components/components.js';
import { Choices, chosenOf, TextFilter } from '../../components/filters.js';
import { formatPercent } from '../../components/formats.js';
import { maskedUrl } from '../../components/masking.js';
import { type PageField, TableCard } from '../../components/tables.js';
import type { ConsolePage } from '../../page.js';

const refreshSeconds = 60;
/** The first page begins with failing endpoints. */
const maxFailing = 10;

const choices = [
  { value: 'all', label: 'All' },
  { value: 'failing', label: 'Failing' },
  { value: 'disabled', label: 'Disabled' },
] as const;

type Row = EndpointWithStats & { readonly organizationName: string };

const fields: readonly PageField<Row>[] = [
  {
    title: 'URL',
    show: ({ _id, url }) => (
      <Link to={`/webhooks/${_id}`}>
        <code>{maskedUrl(url)}</code>
      </Link>
    ),
  },
  { title: 'Organization', kind: 'text', of: ({ organizationName }) => organizationName },
  endpointStateField,
  { title: 'Delivered in 24 h', kind: 'number', of: ({ day }) => day.delivered },
  { title: 'Failed attempts', kind: 'number', of: ({ day }) => day.failed },
  { title: 'Success', isNumber: true, show: ({ day }) => successRate(day) },
  ...endpointBacklogFields,
];

function successRate({ delivered, failed }: EndpointWithStats['day']): string {
  const attempts = delivered + failed;
  return attempts === 0 ? '–' : formatPercent(delivered / attempts);
}

export const webhooksPage: ConsolePage = {
  path: '/webhooks',
  title: 'Webhooks',
  isInMenu: true,
  async read(request) {
    const { services, query } = request;
    const show = chosenOf(request, 'show', choices);
    const text = query['text']?.trim();
    const part = keysetRequestOf(request, 'older');
    const isFirst = show === 'all' && text === undefined && part.after === undefined;
    const [{ items, next }, failing] = await Promise.all([
      services.endpoints.listWithStats({ show, ...(text && { text }) }, part),
      isFirst ? services.endpoints.listWithStats({ show: 'failing' }, { limit: maxFailing }) : null,
    ]);
    const all = [...items, ...(failing?.items ?? [])];
    const organizations = await services.organizations.findAll(
      all.map(({ organizationId }) => new Types.ObjectId(organizationId)),
    );
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    const withName = (item: EndpointWithStats) => ({
      ...item,
      organizationName: names.get(item.organizationId) ?? item.organizationId,
    });
    const body = (
      <>
        <div class="d-flex flex-wrap gap-2 align-items-center mb-3">
          <Choices name="show" label="Endpoints" choices={choices} also={['older']} />
          <TextFilter label="Filter endpoints" keeps={['show']} placeholder="Part of the URL" />
        </div>
        {failing !== null && failing.items.length > 0 && (
          <TableCard
            title="Failing"
            fields={fields}
            items={failing.items.map(withName)}
            hasMore={failing.next !== null}
            empty={['', '']}
          />
        )}
        <TableCard
          {...(failing !== null && failing.items.length > 0 && { title: 'All endpoints' })}
          label="Endpoints"
          fields={fields}
          items={items.map(withName)}
          next={next}
          part="older"
          empty={
            text !== undefined || show !== 'all'
              ? ['No endpoint matches', 'Choose other filters.']
              : [
                  'No endpoint yet',
                  <>
                    Endpoints that receive webhooks are listed here. Add one with{' '}
                    <code>npm run cli -- webhook add</code>.
                  </>,
                ]
          }
        />
      </>
    );
    return { body, refreshSeconds };
  },
};
