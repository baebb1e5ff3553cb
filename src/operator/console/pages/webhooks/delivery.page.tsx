import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import type { DeliveryDetails } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { attemptFields, deliveryFields } from '../../../views/webhook.js';
import { type ConsolePage, type PageRequest, useRenderContext } from '../page.js';
import { FieldList, FieldTable } from '../shared/tables.js';
import { mask, maskedUrl, maskedValue } from '../shared/masking.js';
import {
  withDisclosureLog,
  actionOutcome,
  confirmAndPerform,
  ResendDelivery,
} from '../shared/operator-actions.js';
import { Card } from '../shared/components.js';
import { problemPage } from './endpoint.page.js';

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

const maxCharacters = 20_000;

export const deliveryPage: ConsolePage = {
  path: '/webhooks/deliveries/:id',
  title: 'delivery.title',
  actions: { show: withDisclosureLog(read), replay },
  read,
};

async function read(request: PageRequest) {
  const { text, services } = request;
  const delivery = await deliveryOf(request);
  if (delivery === null) return null;
  const { organizationId } = delivery;
  const id = delivery._id.toHexString();
  const endpoint = await services.endpoints.inspect(delivery.endpointId);
  const body = (
    <>
      <FieldList
        title={text('delivery.title')}
        fields={[
          ...deliveryFields,
          { title: 'endpoint.url', kind: 'url', of: () => endpoint?.shown.url },
        ]}
        item={delivery}
      />
      {endpoint?.shown.isEnabled === true && (
        <Card title={text('endpoint.actions')}>
          <ResendDelivery deliveryId={id} />
        </Card>
      )}
      <Body {...delivery} />
      <FieldTable
        title={text('delivery.attempts')}
        fields={attemptFields}
        items={delivery.log.toReversed()}
      />
    </>
  );
  return {
    ...(await actionOutcome(request, organizationId)),
    name: id,
    personal: { organizationId, subject: 'delivery', subjectId: id } as const,
    body,
  };
}

async function replay(request: PageRequest) {
  const { services, text } = request;
  const delivery = await deliveryOf(request);
  if (delivery === null) return null;
  const endpoint = await services.endpoints.find(delivery.endpointId);
  if (endpoint?.isEnabled !== true) return problemPage(request, 'endpoint.mustBeEnabled');
  const { _id, organizationId } = delivery;
  const subjectId = _id.toHexString();
  return confirmAndPerform(request, {
    question: text('confirm.replayDelivery', { url: maskedUrl(endpoint.url) }),
    organizationId,
    action: 'replay',
    subject: 'delivery',
    subjectId,
    details: null,
    work: () => services.deliveries.replay(endpoint, { _id }),
  });
}

async function deliveryOf({ params, services }: PageRequest) {
  const id = parseObjectId(params['id'] ?? '');
  return id && services.deliveries.find(id);
}

function Body({ body, messageId, lastAttemptAt }: DeliveryDetails) {
  const { text, isShown } = useRenderContext();
  const headers = [
    'content-type: application/json',
    `webhook-id: ${messageId}`,
    `webhook-timestamp: ${lastAttemptAt === null ? '–' : Math.floor(lastAttemptAt.getTime() / 1_000)}`,
    `webhook-signature: ${mask}`,
  ];
  const isCut = isShown && body !== null && body.length > maxCharacters;
  const shown = isShown && !isCut && body !== null ? indentJson(body) : body;
  return (
    <Card title={text('shared.request')}>
      <pre dir="ltr">{headers.join('\n')}</pre>
      <pre id="body" dir="ltr" role="region" tabIndex={0} aria-label={text('delivery.body')}>
        {shown === null ? '–' : maskedValue(shown.slice(0, maxCharacters), isShown)}
      </pre>
      {isShown && shown !== null && (
        <button
          type="button"
          class="plain"
          data-copies="body"
          data-done={text('delivery.copied')}
          hidden
        >
          {text('delivery.copy')}
        </button>
      )}
      {isCut && <p class="note">{text('delivery.cut', { count: maxCharacters })}</p>}
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
