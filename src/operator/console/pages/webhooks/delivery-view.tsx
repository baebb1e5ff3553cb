import type { ComponentChildren } from 'preact';
import type { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { attemptFields, deliveryFields } from '../../../views/webhook.js';
import { useReader } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { mask, maskedValue } from '../shared/masking.js';
import { Card } from '../shared/parts.js';
import { PersonalData, ResendDelivery } from '../shared/operator-actions.js';

interface DeliveryViewProps {
  readonly isShown: boolean;
  readonly delivery: NonNullable<Awaited<ReturnType<WebhookDeliveriesService['find']>>>;
  readonly endpoint: ShownEndpoint | null;
  readonly notice: ComponentChildren;
}

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

const maxCharacters = 20_000;

export function DeliveryView(shown: DeliveryViewProps) {
  const { isShown, delivery, endpoint, notice } = shown;
  const { text } = useReader();
  const path = `/webhooks/deliveries/${delivery._id.toHexString()}`;
  return (
    <>
      {notice}
      <PersonalData path={path} isShown={isShown} />
      <Card title={text('delivery.title')}>
        <FieldList
          fields={[
            ...deliveryFields,
            { title: 'endpoint.url', kind: 'url', of: () => endpoint?.url },
          ]}
          item={delivery}
        />
      </Card>
      {endpoint?.isEnabled === true && (
        <Card title={text('endpoint.actions')}>
          <ResendDelivery deliveryId={delivery._id.toHexString()} />
        </Card>
      )}
      <Body {...shown} />
      <FieldTable
        isShown={isShown}
        title={text('delivery.attempts')}
        caption={text('delivery.triesCaption')}
        fields={attemptFields}
        items={delivery.log.toReversed()}
      />
    </>
  );
}

function Body({ isShown, delivery }: DeliveryViewProps) {
  const { text } = useReader();
  const { body, messageId, lastAttemptAt } = delivery;
  const headers = [
    'content-type: application/json',
    `webhook-id: ${messageId}`,
    `webhook-timestamp: ${lastAttemptAt === null ? '–' : Math.floor(lastAttemptAt.getTime() / 1_000)}`,
    `webhook-signature: ${mask}`,
  ];
  const isCut = isShown && body !== null && body.length > maxCharacters;
  const shown = isShown && !isCut && body !== null ? indented(body) : body;
  return (
    <Card title={text('delivery.request')}>
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

/** Numbers keep their digits. */
function indented(body: string): string {
  return JSON.stringify(JSON.parse(body, asWritten as never), null, 2);
}

function asWritten(_name: string, value: unknown, { source }: { readonly source?: string }) {
  return typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
}
