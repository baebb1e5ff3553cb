import type { ComponentChildren } from 'preact';
import type { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { attemptFields, deliveryFields } from '../../../views/webhook.js';
import type { PageRequest } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { mask, maskedValue } from '../shared/masking.js';
import { Card } from '../shared/parts.js';
import { SendAgain } from '../shared/operator-actions.js';
import { PersonalData } from '../shared/personal-data.js';

interface Shown {
  readonly request: PageRequest;
  /** Whether bodies and responses are shown. */
  readonly isShown: boolean;
  readonly delivery: NonNullable<Awaited<ReturnType<WebhookDeliveriesService['find']>>>;
  readonly endpoint: ShownEndpoint | null;
  /** What became of an action. */
  readonly notice: ComponentChildren;
}

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** More of a body is not shown. */
const mostCharacters = 20_000;

/** What the page of a delivery shows. */
export function DeliveryView(shown: Shown) {
  const { request, isShown, delivery, endpoint, notice } = shown;
  const path = `/webhooks/deliveries/${delivery._id.toHexString()}`;
  return (
    <>
      {notice}
      <PersonalData request={request} path={path} isShown={isShown} />
      <Card title={request.text('delivery.title')}>
        <FieldList
          request={request}
          fields={[
            ...deliveryFields,
            { title: 'endpoint.url', kind: 'url', of: () => endpoint?.url },
          ]}
          item={delivery}
        />
      </Card>
      {endpoint?.isEnabled === true && (
        <Card title={request.text('endpoint.actions')}>
          <SendAgain request={request} deliveryId={delivery._id.toHexString()} />
        </Card>
      )}
      <Body {...shown} />
      <FieldTable
        request={request}
        isShown={isShown}
        title={request.text('delivery.attempts')}
        caption={request.text('delivery.triesCaption')}
        fields={attemptFields}
        items={delivery.log.toReversed()}
      />
    </>
  );
}

/** The request as it was sent last, without its signature. */
function Body({ request, isShown, delivery }: Shown) {
  const { text } = request;
  const { body, messageId, lastAttemptAt } = delivery;
  const headers = [
    'content-type: application/json',
    `webhook-id: ${messageId}`,
    `webhook-timestamp: ${lastAttemptAt === null ? '–' : Math.floor(lastAttemptAt.getTime() / 1_000)}`,
    `webhook-signature: ${mask}`,
  ];
  const isCut = isShown && body !== null && body.length > mostCharacters;
  const shown = isShown && !isCut && body !== null ? indented(body) : body;
  return (
    <Card title={text('delivery.request')}>
      <pre dir="ltr">{headers.join('\n')}</pre>
      <pre id="body" dir="ltr" role="region" tabIndex={0} aria-label={text('delivery.body')}>
        {shown === null ? '–' : maskedValue(shown.slice(0, mostCharacters), isShown)}
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
      {isCut && <p class="note">{text('delivery.cut', { count: mostCharacters })}</p>}
    </Card>
  );
}

/** The same JSON, with its numbers as they are. */
function indented(body: string): string {
  return JSON.stringify(JSON.parse(body, asWritten as never), null, 2);
}

function asWritten(_name: string, value: unknown, { source }: { readonly source?: string }) {
  return typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
}
