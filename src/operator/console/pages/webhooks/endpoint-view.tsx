import type { ComponentChildren } from 'preact';
import type { KeysetPage } from '../../../../core/database/documents/keyset.js';
import type { ListedDelivery } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { EndpointHealth } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import type { EndpointStatistics } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import { deliverySummaryFields, endpointDetailFields } from '../../../views/webhook.js';
import { useReader } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { ResendDelivery } from '../shared/operator-actions.js';
import { Card, Form, Link } from '../shared/parts.js';
import { curveFields } from './curves.js';

interface EndpointViewProps {
  readonly endpoint: ShownEndpoint;
  readonly organizationName: string | undefined;
  readonly health: EndpointHealth;
  readonly notice: ComponentChildren;
  readonly deliveries: KeysetPage<ListedDelivery>;
  readonly pending: number;
  /** Whether `pending` was counted up to its limit only. */
  readonly hasMore: boolean;
  readonly isFailed: boolean;
  readonly statistics: EndpointStatistics | undefined;
}

export function EndpointView(shown: EndpointViewProps) {
  const { text } = useReader();
  return (
    <>
      {shown.notice}
      <div class="columns">
        <Card title={text('endpoint.title')}>
          <FieldList fields={endpointDetailFields} item={{ ...shown.endpoint, ...shown }} />
        </Card>
        <LastDay {...shown} />
      </div>
      {!shown.endpoint.isRemoved && <Actions {...shown} />}
      <Deliveries {...shown} />
    </>
  );
}

function LastDay({ statistics }: EndpointViewProps) {
  const reader = useReader();
  const { text } = reader;
  const sum = (pick: (hour: EndpointStatistics['hours'][number]) => number) =>
    (statistics?.hours ?? []).reduce((total, hour) => total + pick(hour), 0);
  return (
    <Card title={text('endpoint.lastDay')}>
      <FieldList
        fields={[
          ...curveFields(reader),
          {
            title: 'delivery.attempts',
            show: () => reader.formats.number(sum(({ delivered, failed }) => delivered + failed)),
          },
          {
            title: 'endpoint.failedAttempts',
            show: () => reader.formats.number(sum(({ failed }) => failed)),
          },
        ]}
        item={{ statistics }}
      />
    </Card>
  );
}

function Actions({ endpoint: { _id, isEnabled } }: EndpointViewProps) {
  const { text } = useReader();
  const path = `/webhooks/${_id}`;
  return (
    <Card title={text('endpoint.actions')}>
      {isEnabled ? (
        <>
          <Form
            to={`${path}/replay`}
            label={text('endpoint.replayFailed')}
            fields={{ status: 'failed' }}
          />
          <Form to={`${path}/replay`} label={text('endpoint.replayTime')} class="search">
            {(['since', 'until'] as const).map((name) => (
              <p key={name}>
                <label for={name}>{text(`endpoint.${name}`)}</label>
                <input id={name} type="datetime-local" name={name} />
              </p>
            ))}
            <p>
              <label for="only-failed">
                <input id="only-failed" type="checkbox" name="status" value="failed" />{' '}
                {text('endpoint.onlyFailed')}
              </label>
            </p>
          </Form>
        </>
      ) : (
        <>
          <p class="note">{text('endpoint.mustBeEnabled')}</p>
          <Form to={`${path}/enable`} label={text('endpoint.enable')} />
        </>
      )}
    </Card>
  );
}

function Deliveries({ endpoint, deliveries, isFailed }: EndpointViewProps) {
  const { text } = useReader();
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
        title={text('endpoint.deliveries')}
        caption={text('endpoint.deliveriesCaption')}
        fields={[
          ...deliverySummaryFields,
          ...(endpoint.isEnabled
            ? [
                {
                  title: 'delivery.replay' as const,
                  show: ({ _id, status }: ListedDelivery) =>
                    status === 'failed' && <ResendDelivery deliveryId={_id.toHexString()} />,
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
