import type { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import { attemptFields, deliveryFields } from '../../../views/webhook.js';
import type { PageRequest } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { maskedValue } from '../shared/masking.js';
import { Card } from '../shared/parts.js';
import { PersonalData } from '../shared/personal-data.js';
import { DoneNotice } from './confirmation.js';

interface Shown {
  readonly request: PageRequest;
  /** Whether bodies and responses are shown. */
  readonly isShown: boolean;
  readonly delivery: NonNullable<Awaited<ReturnType<WebhookDeliveriesService['find']>>>;
  readonly endpoint: ShownEndpoint | null;
}

/** More of a body is not shown. */
const mostCharacters = 20_000;

/** What the page of a delivery shows. */
export function DeliveryView(shown: Shown) {
  const { request, isShown, delivery, endpoint } = shown;
  const path = `/webhooks/deliveries/${delivery._id.toHexString()}`;
  return (
    <>
      <DoneNotice request={request} />
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
        <form method="post" action={`${consolePath}${path}/replay`} class="card">
          <FormToken request={request} />
          <button type="submit" class="plain">
            {request.text('delivery.replay')}
          </button>
        </form>
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

function Body({ request, isShown, delivery }: Shown) {
  const { text } = request;
  const { body } = delivery;
  return (
    <Card title={text('delivery.body')}>
      <pre dir="ltr" role="region" tabIndex={0} aria-label={text('delivery.body')}>
        {body === null ? '–' : maskedValue(body.slice(0, mostCharacters), isShown)}
      </pre>
      {isShown && body !== null && body.length > mostCharacters && (
        <p class="note">{text('delivery.cut', { count: mostCharacters })}</p>
      )}
    </Card>
  );
}
