import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import type { ListedDelivery } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { EndpointView } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { deliverySummaryFields, endpointFields } from '../../../views/webhook.js';
import type { TextKey } from '../../texts/text.js';
import { type ConsolePage, type PageContent, type PageRequest, useRenderContext } from '../page.js';
import { FieldList, FieldTable } from '../shared/tables.js';
import { maskedUrl } from '../shared/masking.js';
import { actionOutcome, confirmAndPerform, ResendDelivery } from '../shared/operator-actions.js';
import { Card, Form, keysetRequestOf, Link } from '../shared/components.js';
import { sparklineFields } from './sparklines.js';
import { readReplay } from './replay.js';

/** Pending deliveries are counted up to this number. */
const maxWaiting = 10_000;

export const endpointPage: ConsolePage = {
  path: '/webhooks/:id',
  title: 'endpoint.title',
  actions: { enable, replay },
  async read(request) {
    const { text, services, query } = request;
    const endpoint = await endpointOf(request);
    if (endpoint === null) return null;
    const { document, shown } = endpoint;
    const { organizationId, _id: endpointId } = document;
    const isFailed = query['status'] === 'failed';
    const filter = { endpointId, ...(isFailed && { status: 'failed' as const }) };
    const part = keysetRequestOf(request, 'deliveries');
    const [deliveries, pending, hours, health, organization, outcome] = await Promise.all([
      services.deliveries.listPage(organizationId, filter, part),
      services.webhookStatistics.countPending(endpointId, maxWaiting),
      services.webhookStatistics.lastDay(shown),
      services.webhookStatistics.health(shown),
      services.organizations.findByHexId(shown.organizationId),
      actionOutcome(request, organizationId),
    ]);
    const details = {
      ...shown,
      health,
      organizationName: organization?.name,
      pending,
      hasMore: pending === maxWaiting,
    };
    const failures = hours.reduce((sum, { failed }) => sum + failed, 0);
    const attempts = hours.reduce((sum, { delivered }) => sum + delivered, failures);
    const path = `/webhooks/${shown._id}`;
    const resend = {
      title: 'delivery.replay',
      show: ({ _id, status }: ListedDelivery) =>
        status === 'failed' && <ResendDelivery deliveryId={_id.toHexString()} />,
    } as const;
    const body = (
      <>
        <div class="columns">
          <FieldList title={text('endpoint.title')} fields={endpointFields} item={details} />
          <FieldList
            title={text('endpoint.lastDay')}
            fields={[
              ...sparklineFields,
              { title: 'delivery.attempts', kind: 'number', of: () => attempts },
              { title: 'endpoint.failedAttempts', kind: 'number', of: () => failures },
            ]}
            item={{ hours }}
          />
        </div>
        {!shown.isRemoved && <Actions {...shown} />}
        <p class="pages">
          <Link to={isFailed ? path : `${path}?status=failed`}>
            {text(isFailed ? 'endpoint.showAll' : 'endpoint.onlyFailed')}
          </Link>
        </p>
        <FieldTable
          title={text('endpoint.deliveries')}
          fields={[...deliverySummaryFields, ...(shown.isEnabled ? [resend] : [])]}
          {...deliveries}
          part="deliveries"
        />
      </>
    );
    return { ...outcome, name: shown._id, body };
  },
};

async function enable(request: PageRequest) {
  const endpoint = await endpointOf(request);
  if (endpoint === null || endpoint.shown.isRemoved) return null;
  const { document, shown } = endpoint;
  return confirmAndPerform(request, {
    organizationId: document.organizationId,
    subject: 'endpoint',
    subjectId: shown._id,
    question: request.text('confirm.enable', { url: maskedUrl(document.url) }),
    action: 'enable',
    details: null,
    work: async () => {
      await request.services.endpoints.enable(document._id);
      return null;
    },
  });
}

async function replay(request: PageRequest) {
  const { deliveries } = request.services;
  const endpoint = await endpointOf(request);
  if (endpoint === null || endpoint.shown.isRemoved) return null;
  const { document, shown } = endpoint;
  const { organizationId, _id: endpointId } = document;
  if (!shown.isEnabled) return problemPage(request, 'endpoint.mustBeEnabled');
  const wanted = readReplay(request.form);
  if (wanted === null) return problemPage(request, 'confirm.wrongTime');
  const { filter, text: what } = wanted;
  // A confirmed form that is sent again replays nothing and shows its outcome.
  const count =
    request.form['formId'] === undefined
      ? await deliveries.count(organizationId, { ...filter, endpointId })
      : null;
  if (count === 0) return problemPage(request, 'confirm.nothing');
  return confirmAndPerform(request, {
    organizationId,
    subject: 'endpoint',
    subjectId: shown._id,
    question: request.text('confirm.replayMany', { count, what, url: maskedUrl(document.url) }),
    action: 'replay',
    details: what,
    work: () => deliveries.replay(document, filter),
  });
}

export function problemPage({ text }: PageRequest, key: TextKey): PageContent {
  return { status: 422, body: <p class="bad">{text(key)}</p> };
}

async function endpointOf({ params, services }: PageRequest) {
  const id = parseObjectId(params['id'] ?? '');
  return id && services.endpoints.inspect(id);
}

function Actions({ _id, isEnabled }: Pick<EndpointView, '_id' | 'isEnabled'>) {
  const { text } = useRenderContext();
  const replayPath = `/webhooks/${_id}/replay`;
  if (!isEnabled) {
    return (
      <Card title={text('endpoint.actions')}>
        <p class="note">{text('endpoint.mustBeEnabled')}</p>
        <Form to={`/webhooks/${_id}/enable`} label={text('endpoint.enable')} />
      </Card>
    );
  }
  return (
    <Card title={text('endpoint.actions')}>
      <Form to={replayPath} label={text('endpoint.replayFailed')} fields={{ status: 'failed' }} />
      <Form to={replayPath} label={text('endpoint.replayTime')} class="search">
        {(['since', 'until'] as const).map((name) => (
          <p key={name}>
            <label for={name}>{text(`endpoint.${name}`)}</label>
            <input id={name} type="datetime-local" name={name} />
          </p>
        ))}
        <p>
          <label>
            <input type="checkbox" name="status" value="failed" /> {text('endpoint.onlyFailed')}
          </label>
        </p>
      </Form>
    </Card>
  );
}
