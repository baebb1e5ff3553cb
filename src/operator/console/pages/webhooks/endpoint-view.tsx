import type { KeysetPage } from '../../../../core/database/documents/keyset.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import type { ListedDelivery } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { EndpointStatistics } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { PageRequest } from '../page.js';
import { maskedUrl } from '../shared/masking.js';
import { Card, Code, DataTable, Facts, Link, Pages, When } from '../shared/parts.js';
import { DoneNotice } from './confirmation.js';
import { endpointCurves } from './curves.js';
import { EndpointState } from './endpoint-state.js';

interface Shown {
  readonly request: PageRequest;
  readonly endpoint: ShownEndpoint;
  readonly organization: Organization | null;
  readonly deliveries: KeysetPage<ListedDelivery>;
  readonly waiting: number;
  /** Whether more may wait than were counted. */
  readonly hasMoreWaiting: boolean;
  /** Whether the list has only failed deliveries. */
  readonly isFailed: boolean;
  readonly figures: EndpointStatistics | undefined;
}

/** What the page of an endpoint shows; no secret is part of it. */
export function EndpointView(shown: Shown) {
  return (
    <>
      <DoneNotice request={shown.request} />
      <div class="columns">
        <AsItIs {...shown} />
        <LastDay {...shown} />
      </div>
      {!shown.endpoint.isRemoved && <Actions {...shown} />}
      <Deliveries {...shown} />
    </>
  );
}

function AsItIs({ request, endpoint, organization, waiting, hasMoreWaiting }: Shown) {
  const { text, formats } = request;
  const count = formats.number(waiting);
  return (
    <Card title={text('endpoint.title')}>
      <Facts
        facts={[
          [text('endpoint.url'), <Code>{maskedUrl(endpoint.url)}</Code>],
          [text('shared.organization'), organization?.name ?? endpoint.organizationId],
          [text('shared.state'), <EndpointState request={request} endpoint={endpoint} />],
          [text('endpoint.events'), <Code>{endpoint.eventTypes.join(', ')}</Code>],
          [text('endpoint.waiting'), hasMoreWaiting ? text('endpoint.atLeast', { count }) : count],
          [text('endpoint.failingSince'), <When request={request} time={endpoint.failingSince} />],
          [text('endpoint.pausedUntil'), <When request={request} time={endpoint.pausedUntil} />],
          [text('shared.created'), <When request={request} time={endpoint.createdAt} />],
          [text('shared.updated'), <When request={request} time={endpoint.updatedAt} />],
        ]}
      />
    </Card>
  );
}

function LastDay({ request, figures }: Shown) {
  const { text, formats } = request;
  const [success, latency, backlog] = endpointCurves(request, figures);
  const sum = (pick: (hour: EndpointStatistics['hours'][number]) => number) =>
    (figures?.hours ?? []).reduce((total, hour) => total + pick(hour), 0);
  return (
    <Card title={text('endpoint.lastDay')}>
      <Facts
        facts={[
          [text('endpoint.success'), success],
          [text('endpoint.latency'), latency],
          [text('endpoint.backlog'), backlog],
          [text('endpoint.attempts'), formats.number(sum((hour) => hour.delivered + hour.failed))],
          [text('endpoint.failedAttempts'), formats.number(sum((hour) => hour.failed))],
        ]}
      />
    </Card>
  );
}

function Actions({ request, endpoint }: Shown) {
  const { text } = request;
  const path = `${consolePath}/webhooks/${endpoint._id}`;
  return (
    <Card title={text('endpoint.actions')}>
      {endpoint.isEnabled ? (
        <>
          <form method="post" action={`${path}/replay`}>
            <FormToken request={request} />
            <input type="hidden" name="status" value="failed" />
            <button type="submit" class="plain">
              {text('endpoint.replayFailed')}
            </button>
          </form>
          <form method="post" action={`${path}/replay`} class="search">
            <FormToken request={request} />
            <p>
              <label for="since">{text('endpoint.since')}</label>
              <input id="since" type="datetime-local" name="since" />
            </p>
            <p>
              <label for="until">{text('endpoint.until')}</label>
              <input id="until" type="datetime-local" name="until" />
            </p>
            <p>
              <label for="only-failed">
                <input id="only-failed" type="checkbox" name="status" value="failed" />{' '}
                {text('endpoint.onlyFailed')}
              </label>
            </p>
            <button type="submit" class="plain">
              {text('endpoint.replayTime')}
            </button>
          </form>
        </>
      ) : (
        <>
          <p class="note">{text('endpoint.mustBeEnabled')}</p>
          <form method="post" action={`${path}/enable`}>
            <FormToken request={request} />
            <button type="submit" class="plain">
              {text('endpoint.enable')}
            </button>
          </form>
        </>
      )}
    </Card>
  );
}

function Deliveries({ request, endpoint, deliveries, isFailed }: Shown) {
  const { text } = request;
  const path = `/webhooks/${endpoint._id}`;
  return (
    <Card title={text('endpoint.deliveries')}>
      <p class="pages">
        {isFailed ? (
          <Link to={path}>{text('endpoint.showAll')}</Link>
        ) : (
          <Link to={`${path}?status=failed`}>{text('endpoint.showFailed')}</Link>
        )}
      </p>
      <DataTable
        request={request}
        caption={text('endpoint.deliveriesCaption')}
        columns={[
          text('shared.created'),
          text('delivery.event'),
          text('delivery.about'),
          text('shared.state'),
          text('delivery.attempts'),
          text('delivery.response'),
          text('delivery.next'),
        ]}
        rows={deliveries.items.map((delivery) => [
          <Link to={`/webhooks/deliveries/${delivery._id.toHexString()}`}>
            <When request={request} time={delivery.createdAt} />
          </Link>,
          <Code>{delivery.type}</Code>,
          <Code>{delivery.objectId ?? '–'}</Code>,
          <DeliveryState request={request} delivery={delivery} />,
          delivery.attempts,
          delivery.lastStatusCode ?? delivery.lastError ?? '–',
          <When
            request={request}
            time={delivery.status === 'pending' ? delivery.nextAttemptAt : null}
          />,
        ])}
      />
      <Pages
        request={request}
        name="deliveries"
        next={deliveries.next}
        label={text('endpoint.deliveries')}
      />
    </Card>
  );
}

/** Whether a delivery has arrived, and why not. */
export function DeliveryState({
  request: { text },
  delivery: { status, failureReason },
}: {
  readonly request: PageRequest;
  readonly delivery: Pick<ListedDelivery, 'status' | 'failureReason'>;
}) {
  const look = { pending: 'warn', delivered: 'good', failed: 'bad' }[status];
  return (
    <span class={look}>
      {text(`delivery.${status}`)}
      {failureReason !== null && ` (${failureReason})`}
    </span>
  );
}
