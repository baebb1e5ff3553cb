import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import type { DeliveryDetails } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { visibleResponse } from '../../../../webhooks/deliveries/visible-response.js';
import { attemptFields, deliveryFields } from '../../../views/webhook.js';
import { Alert, Badge, Card, Empty, Link, Time } from '../../components/components.js';
import { formatDuration } from '../../components/formats.js';
import { mask, maskedUrl, maskedValue } from '../../components/masking.js';
import {
  loggedAction,
  performOnce,
  ResendDelivery,
  withDisclosureLog,
} from '../../components/operator-actions.js';
import { DetailsLine, FieldList } from '../../components/tables.js';
import { type ConsolePage, type PageRequest, useRenderContext } from '../../page.js';
import { mustBeEnabled } from './endpoint-actions.js';

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

const maxCharacters = 20_000;
const progressSeconds = 2;

type Attempt = DeliveryDetails['log'][number];

export const deliveryPage: ConsolePage = {
  path: '/webhooks/deliveries/:id',
  title: 'Delivery',
  actions: { show: withDisclosureLog(read), replay },
  read,
};

async function read(request: PageRequest) {
  const { services } = request;
  const delivery = await deliveryOf(request);
  if (delivery === null) return null;
  const { organizationId, status, endpointId } = delivery;
  const id = delivery._id.toHexString();
  const [endpoint, entry] = await Promise.all([
    services.endpoints.inspect(endpointId),
    loggedAction(request, organizationId),
  ]);
  const isWaiting = entry !== null && status === 'pending';
  const body = (
    <>
      <Card
        title="Now"
        actions={endpoint?.shown.isEnabled === true && <ResendDelivery deliveryId={id} />}
      >
        <FieldList fields={deliveryFields} item={delivery} />
      </Card>
      <Card title="Attempts" isFlush>
        {delivery.log.length === 0 && (
          <Empty title="No attempt yet">
            Each attempt is listed here, with the receiver's response.
          </Empty>
        )}
        <ol class="list-group list-group-flush">
          {delivery.log.toReversed().map((attempt, index) => (
            <AttemptLine key={index} attempt={attempt} isErased={Boolean(delivery.erasedAt)} />
          ))}
        </ol>
      </Card>
      <Body {...delivery} />
    </>
  );
  return {
    heading: `Delivery of ${delivery.type}`,
    summary: endpoint && (
      <>
        to <Link to={`/webhooks/${endpoint.shown._id}`}>{maskedUrl(endpoint.shown.url)}</Link>
      </>
    ),
    ...(entry !== null && {
      notice: (
        <Alert severity={isWaiting ? 'note' : 'good'}>
          Sent again. It is now {status}
          {delivery.lastAttemptAt !== null &&
            `, last response ${delivery.lastStatusCode ?? delivery.lastError}`}
          .
        </Alert>
      ),
    }),
    ...(isWaiting && { refreshSeconds: progressSeconds }),
    personal: { organizationId, subject: 'delivery', subjectId: id } as const,
    body,
  };
}

function AttemptLine({
  attempt,
  isErased,
}: {
  readonly attempt: Attempt;
  readonly isErased: boolean;
}) {
  const { startedAt, statusCode, error, milliseconds } = attempt;
  const isGood = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const excerpt = isErased ? null : visibleResponse(attempt);
  return (
    <DetailsLine
      line={[
        <Time time={startedAt} />,
        <Badge severity={isGood ? 'good' : 'bad'}>{statusCode ?? 'no response'}</Badge>,
        formatDuration(milliseconds),
        error ?? excerpt?.slice(0, 120) ?? '',
      ]}
    >
      {excerpt !== null && <pre tabIndex={0}>{excerpt}</pre>}
      <FieldList fields={attemptFields} item={attempt} />
    </DetailsLine>
  );
}

async function replay(request: PageRequest) {
  const { services } = request;
  const delivery = await deliveryOf(request);
  if (delivery === null) return null;
  const endpoint = await services.endpoints.find(delivery.endpointId);
  if (endpoint?.isEnabled !== true) return mustBeEnabled;
  const { _id, organizationId } = delivery;
  return performOnce(request, {
    organizationId,
    action: 'delivery.replay',
    subject: 'delivery',
    subjectId: _id.toHexString(),
    details: null,
    work: () => services.deliveries.replay(endpoint, { _id }),
  });
}

async function deliveryOf({ params, services }: PageRequest) {
  const id = parseObjectId(params['id'] ?? '');
  return id && services.deliveries.find(id);
}

function Body({ body, messageId, lastAttemptAt }: DeliveryDetails) {
  const { isShown } = useRenderContext();
  const headers = [
    'content-type: application/json',
    `webhook-id: ${messageId}`,
    `webhook-timestamp: ${lastAttemptAt === null ? '–' : Math.floor(lastAttemptAt.getTime() / 1_000)}`,
    `webhook-signature: ${mask}`,
  ];
  const isCut = isShown && body !== null && body.length > maxCharacters;
  const shown = isShown && !isCut && body !== null ? indentJson(body) : body;
  return (
    <Card
      title="What is sent"
      actions={
        isShown &&
        shown !== null && (
          <button type="button" class="btn" data-copy-of="body">
            Copy the body
          </button>
        )
      }
    >
      <pre>{headers.join('\n')}</pre>
      <pre id="body" role="region" tabIndex={0} aria-label="Body">
        {shown === null
          ? 'The event is no longer kept.'
          : maskedValue(shown.slice(0, maxCharacters), isShown)}
      </pre>
      {isCut && <p class="text-secondary">Only the first {maxCharacters} characters are shown.</p>}
    </Card>
  );
}

/** Keeps digits of numbers that a double cannot hold. */
function indentJson(body: string): string {
  return JSON.stringify(JSON.parse(body, keepDigits as never), null, 2);
}

function keepDigits(_name: string, value: unknown, { source }: { readonly source?: string }) {
  return typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
}
