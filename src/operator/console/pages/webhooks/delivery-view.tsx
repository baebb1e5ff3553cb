import type { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { PageRequest } from '../page.js';
import { maskedUrl, maskedValue } from '../shared/masking.js';
import { Card, Code, DataTable, Facts, Link, When } from '../shared/parts.js';
import { PersonalData } from '../shared/personal-data.js';
import { DoneNotice } from './confirmation.js';
import { DeliveryState } from './endpoint-view.js';

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
      <AsItIs {...shown} />
      {endpoint?.isEnabled === true && (
        <form method="post" action={`${consolePath}${path}/replay`} class="card">
          <FormToken request={request} />
          <button type="submit" class="plain">
            {request.text('delivery.replay')}
          </button>
        </form>
      )}
      <Request {...shown} />
      <Attempts {...shown} />
    </>
  );
}

function AsItIs({ request, delivery, endpoint }: Shown) {
  const { text } = request;
  const endpointId = delivery.endpointId.toHexString();
  return (
    <Card title={text('delivery.title')}>
      <Facts
        facts={[
          [
            text('endpoint.title'),
            <Link to={`/webhooks/${endpointId}`}>
              <Code>{endpoint === null ? endpointId : maskedUrl(endpoint.url)}</Code>
            </Link>,
          ],
          [text('shared.state'), <DeliveryState request={request} delivery={delivery} />],
          [text('delivery.event'), <Code>{delivery.type}</Code>],
          [text('delivery.about'), <About delivery={delivery} />],
          [text('delivery.round'), delivery.round],
          [text('delivery.attempts'), delivery.attempts],
          [text('shared.created'), <When request={request} time={delivery.createdAt} />],
          [
            text('delivery.next'),
            delivery.status === 'pending' && (
              <When request={request} time={delivery.nextAttemptAt} />
            ),
          ],
          [text('delivery.completed'), <When request={request} time={delivery.completedAt} />],
        ]}
      />
    </Card>
  );
}

/** What the event is about, with a link where there is a page of it. */
function About({ delivery: { type, objectId, organizationId } }: Pick<Shown, 'delivery'>) {
  if (objectId === null) return <>–</>;
  const pages = { lead: 'leads', unit: 'units', reservation: 'reservations' };
  const page = Object.entries(pages).find(([kind]) => type.startsWith(`${kind}.`))?.[1];
  const code = <Code>{objectId}</Code>;
  if (page === undefined) return code;
  return <Link to={`/${page}/${organizationId.toHexString()}/${objectId}`}>{code}</Link>;
}

function Request({ request, isShown, delivery }: Shown) {
  const { text } = request;
  const { body, messageId, erasedAt } = delivery;
  return (
    <Card title={text('delivery.request')}>
      <Facts
        facts={[
          ['webhook-id', <Code>{messageId}</Code>],
          [text('shared.erased'), erasedAt && <When request={request} time={erasedAt} />],
        ]}
      />
      <h3>{text('delivery.body')}</h3>
      <pre dir="ltr" role="region" tabIndex={0} aria-label={text('delivery.body')}>
        {body === null ? '–' : maskedValue(body.slice(0, mostCharacters), isShown)}
      </pre>
      {isShown && body !== null && body.length > mostCharacters && (
        <p class="note">{text('delivery.cut', { count: mostCharacters })}</p>
      )}
    </Card>
  );
}

function Attempts({ request, isShown, delivery: { log } }: Shown) {
  const { text, formats } = request;
  return (
    <Card title={text('delivery.tries')}>
      <DataTable
        request={request}
        caption={text('delivery.triesCaption')}
        columns={[
          text('shared.when'),
          text('delivery.round'),
          text('delivery.number'),
          text('endpoint.url'),
          text('delivery.took'),
          text('delivery.code'),
          text('delivery.error'),
          text('delivery.answer'),
        ]}
        rows={log
          .toReversed()
          .map((attempt) => [
            <When request={request} time={attempt.startedAt} />,
            attempt.round,
            attempt.attempt,
            <Code>{maskedUrl(attempt.url)}</Code>,
            formats.duration(attempt.milliseconds),
            attempt.statusCode ?? '–',
            attempt.error ?? '–',
            <Code>{maskedValue(attempt.response, isShown)}</Code>,
          ])}
      />
    </Card>
  );
}
