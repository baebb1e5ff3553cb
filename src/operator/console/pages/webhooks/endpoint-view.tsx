import type { ComponentChildren } from 'preact';
import type { KeysetPage } from '../../../../core/database/documents/keyset.js';
import type { ListedDelivery } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { EndpointHealth } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import type { EndpointStatistics } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import { deliveryListFields, endpointDetailFields } from '../../../views/webhook.js';
import type { PageRequest } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { SendAgain } from '../shared/operator-actions.js';
import { Card, Link } from '../shared/parts.js';
import { curveFields } from './curves.js';

interface Shown {
  readonly request: PageRequest;
  readonly endpoint: ShownEndpoint;
  readonly organizationName: string | undefined;
  readonly health: EndpointHealth;
  /** What became of an action. */
  readonly notice: ComponentChildren;
  readonly deliveries: KeysetPage<ListedDelivery>;
  readonly pending: number;
  /** Whether more may wait than were counted. */
  readonly hasMore: boolean;
  /** Whether the list has only failed deliveries. */
  readonly isFailed: boolean;
  readonly figures: EndpointStatistics | undefined;
}

/** What the page of an endpoint shows; no secret is part of it. */
export function EndpointView(shown: Shown) {
  const { request } = shown;
  const { text } = request;
  return (
    <>
      {shown.notice}
      <div class="columns">
        <Card title={text('endpoint.title')}>
          <FieldList
            request={request}
            fields={endpointDetailFields}
            item={{ ...shown.endpoint, ...shown }}
          />
        </Card>
        <LastDay {...shown} />
      </div>
      {!shown.endpoint.isRemoved && <Actions {...shown} />}
      <Deliveries {...shown} />
    </>
  );
}

function LastDay({ request, figures }: Shown) {
  const { text, formats } = request;
  const sum = (pick: (hour: EndpointStatistics['hours'][number]) => number) =>
    (figures?.hours ?? []).reduce((total, hour) => total + pick(hour), 0);
  return (
    <Card title={text('endpoint.lastDay')}>
      <FieldList
        request={request}
        fields={[
          ...curveFields(request),
          {
            title: 'delivery.attempts',
            kind: 'number',
            of: () => sum(({ delivered, failed }) => delivered + failed),
          },
          {
            title: 'endpoint.failedAttempts',
            show: () => formats.number(sum(({ failed }) => failed)),
          },
        ]}
        item={{ figures }}
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
    <>
      <p class="pages">
        {isFailed ? (
          <Link to={path}>{text('endpoint.showAll')}</Link>
        ) : (
          <Link to={`${path}?status=failed`}>{text('endpoint.showFailed')}</Link>
        )}
      </p>
      <FieldTable
        request={request}
        title={text('endpoint.deliveries')}
        caption={text('endpoint.deliveriesCaption')}
        fields={[
          ...deliveryListFields,
          ...(endpoint.isEnabled
            ? [
                {
                  title: 'delivery.replay' as const,
                  show: ({ _id, status }: ListedDelivery) =>
                    status === 'failed' && (
                      <SendAgain request={request} deliveryId={_id.toHexString()} />
                    ),
                },
              ]
            : []),
        ]}
        items={deliveries.items}
        next={deliveries.next}
        part="deliveries"
      />
    </>
  );
}
