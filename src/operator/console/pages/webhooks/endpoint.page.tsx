import type { WebhookStatsService } from '../../../../webhooks/statistics/webhook-stats.service.js';
import type { EndpointView } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { describeEndpoint } from '../../../views/endpoint-state.js';
import {
  deliverySummaryFields,
  endpointCountFields,
  endpointFields,
} from '../../../views/webhook.js';
import { Chart, RangeChoices, rangeOf } from '../../components/chart.js';
import { Badge, Card, Form, keysetRequestOf, Time } from '../../components/components.js';
import { Choices, chosenOf } from '../../components/filters.js';
import { formatNumber, formatTime } from '../../components/formats.js';
import { maskedUrl } from '../../components/masking.js';
import { onceFields } from '../../components/operator-actions.js';
import { FieldList, TableCard } from '../../components/tables.js';
import { type ConsolePage, useRenderContext } from '../../page.js';
import { attemptPoints, attemptSeries } from './attempt-series.js';
import { endpointActions, endpointOf, outcomeOf } from './endpoint-actions.js';

type EndpointSummary = Awaited<ReturnType<WebhookStatsService['summaryOf']>>;

const refreshSeconds = 60;
/** The page shows these fields above. */
const inHeader: ReadonlySet<string> = new Set([
  'Organization',
  'State',
  'Since',
  'Failing since',
  'Pending deliveries',
]);

const statuses = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Waiting' },
  { value: 'failed', label: 'Failed' },
  { value: 'delivered', label: 'Delivered' },
] as const;

/** Answers since when an endpoint fails and why, and sends what it missed. */
export const endpointPage: ConsolePage = {
  path: '/webhooks/:id',
  title: 'Endpoint',
  actions: endpointActions,
  async read(request) {
    const { services } = request;
    const endpoint = await endpointOf(request);
    if (endpoint === null) return null;
    const { document, shown } = endpoint;
    const { organizationId, _id: endpointId } = document;
    const status = chosenOf(request, 'status', statuses);
    const filter = { endpointId, ...(status !== 'all' && { status }) };
    const range = rangeOf(request);
    const [deliveries, summary, attempts, organization, outcome] = await Promise.all([
      services.deliveries.listPage(organizationId, filter, keysetRequestOf(request, 'deliveries')),
      services.webhookStatistics.summaryOf(document),
      attemptPoints(request, range, document),
      services.organizations.find(organizationId),
      outcomeOf(request, endpoint),
    ]);
    const body = (
      <>
        <Problem endpoint={shown} summary={summary} />
        <Card
          title="Deliveries now"
          actions={!shown.isRemoved && <Actions endpoint={shown} summary={summary} />}
        >
          <FieldList fields={endpointCountFields} item={summary} />
        </Card>
        <Card title="Attempts" actions={<RangeChoices />}>
          <Chart label="Attempts" range={range} points={attempts} series={attemptSeries} />
        </Card>
        <TableCard
          title="Deliveries"
          actions={
            <Choices name="status" label="Deliveries" choices={statuses} also={['deliveries']} />
          }
          fields={deliverySummaryFields}
          {...deliveries}
          part="deliveries"
          empty={['No delivery', 'Events that were sent to this endpoint are listed here.']}
        />
        <Card title="Settings">
          <FieldList
            fields={endpointFields.filter(({ title }) => !inHeader.has(title))}
            item={shown}
          />
        </Card>
      </>
    );
    return {
      heading: `Endpoint ${maskedUrl(shown.url)}`,
      summary: organization?.name ?? shown.organizationId,
      refreshSeconds,
      ...outcome,
      body,
    };
  },
};

function Problem({
  endpoint,
  summary: { failedAttemptsSince },
}: {
  readonly endpoint: EndpointView;
  readonly summary: EndpointSummary;
}) {
  const { now } = useRenderContext();
  const { severity, name, why, since, remedy } = describeEndpoint(endpoint, now);
  const { lastFailure } = endpoint;
  if (severity !== 'bad' && lastFailure === null) return null;
  return (
    <Card title={severity === 'bad' ? 'Why it fails' : 'The last failure'}>
      {severity === 'bad' && (
        <p>
          <Badge severity={severity}>{name}</Badge>
          {since && (
            <>
              {' '}
              since {formatTime(since)} (<Time time={since} />)
            </>
          )}
          {name === 'failing'
            ? `: ${formatNumber(failedAttemptsSince)} attempts failed.`
            : `: ${why ?? ''}.`}
        </p>
      )}
      {lastFailure !== null && (
        <>
          <p>
            Last failed attempt <Time time={lastFailure.at} />:{' '}
            <strong>{lastFailure.statusCode ?? lastFailure.error}</strong>
          </p>
          {lastFailure.excerpt && <pre tabIndex={0}>{lastFailure.excerpt}</pre>}
        </>
      )}
      {remedy && (
        <p class="mb-0">
          <strong>What to do:</strong> {remedy}
        </p>
      )}
    </Card>
  );
}

function Actions({
  endpoint: { _id, isEnabled },
  summary: { waiting, failed, hasMoreWaiting, hasMoreFailed },
}: {
  readonly endpoint: EndpointView;
  readonly summary: EndpointSummary;
}) {
  const path = `/webhooks/${_id}`;
  const count = waiting + failed;
  const more = hasMoreWaiting || hasMoreFailed ? '+' : '';
  if (!isEnabled) {
    return <Form to={`${path}/enable`} label="Enable" isPrimary fields={onceFields()} />;
  }
  return (
    <div class="d-flex flex-wrap gap-2 align-items-center">
      {count > 0 && (
        <Form
          to={`${path}/send`}
          label={`Send all ${formatNumber(count)}${more} now`}
          isPrimary
          fields={onceFields()}
        />
      )}
      <Form to={`${path}/test`} label="Send a test" fields={onceFields()} />
      <Form to={`${path}/disable`} label="Disable" />
    </div>
  );
}
