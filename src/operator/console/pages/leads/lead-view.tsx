import type { ComponentChildren } from 'preact';
import type { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import { type FieldChange, storedChanges } from '../../../../tenants/change-log/field-changes.js';
import type { InspectedLead, LeadLookupService } from '../../../../leads/lead-lookup.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import type { ReservationsService } from '../../../../reservations/reading/reservations.service.js';
import type { ListedDelivery } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import type {
  ListedEvent,
  EventHistoryService,
} from '../../../../events/outbox/event-history.service.js';
import { requestIdField } from '../../../views/common.js';
import { clientFields, leadFields, leadListFields } from '../../../views/lead.js';
import { reservationListFields } from '../../../views/reservation.js';
import { useReader } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { maskedName, maskedUrl, maskedValue, plainText } from '../shared/masking.js';
import { PersonalData, ResendDelivery } from '../shared/operator-actions.js';
import { Card, Code, Link } from '../shared/parts.js';

interface LeadViewProps {
  readonly isShown: boolean;
  readonly organization: Organization;
  readonly inspected: InspectedLead;
  readonly changes: Awaited<ReturnType<LeadLookupService['history']>>;
  readonly events: Awaited<ReturnType<EventHistoryService['about']>>;
  readonly deliveries: readonly ListedDelivery[];
  readonly endpoints: readonly ShownEndpoint[];
  readonly notice: ComponentChildren;
  readonly reservations: Awaited<ReturnType<ReservationsService['list']>>;
  readonly keys: Awaited<ReturnType<ApiKeysService['list']>>;
}

export const maxDeliveries = 20;
/** Of one request; further ones are only counted. */
const maxFields = 30;

const sharedTitles = { phone: 'lead.sharesPhone', client: 'lead.sharesClient' } as const;

export function LeadView(shown: LeadViewProps) {
  const { isShown, organization, inspected, reservations } = shown;
  const { lead, client, others, hasMoreOthers } = inspected;
  const { text } = useReader();
  const organizationId = organization._id.toHexString();
  const reader = { isShown, organizationId };
  return (
    <>
      {shown.notice}
      <PersonalData path={`/leads/${organizationId}/${lead._id}`} isShown={isShown} />
      <div class="columns">
        <Card title={text('lead.fields')}>
          <FieldList
            {...reader}
            fields={[
              { title: 'shared.organization', show: () => organization.name },
              ...leadFields,
            ]}
            item={{ ...inspected, ...lead }}
          />
        </Card>
        <Card title={text('lead.client')}>
          {client === null && <p class="note">{text('lead.clientNone')}</p>}
          {client !== null && <FieldList {...reader} fields={clientFields} item={client} />}
        </Card>
      </div>
      <Changes {...shown} />
      <Events {...shown} />
      <FieldTable
        {...reader}
        title={text('shared.reservations')}
        caption={text('lead.reservationsCaption')}
        fields={reservationListFields}
        {...reservations}
      />
      <FieldTable
        {...reader}
        title={text('lead.others')}
        caption={text('lead.othersCaption')}
        fields={[
          ...leadListFields,
          { title: 'lead.shares', kind: 'status', of: ({ shares }) => shares },
        ]}
        items={others.map((other) => ({
          ...other.lead,
          shares: other.shares.map((share) => sharedTitles[share]),
        }))}
        next={hasMoreOthers ? '' : null}
      />
    </>
  );
}

function Changes({ isShown, changes, keys }: LeadViewProps) {
  const { text } = useReader();
  const names = new Map(keys.map(({ _id, name }) => [_id.toHexString(), name]));
  const keyOf = (id: string | undefined) =>
    id === undefined ? '–' : (names.get(id) ?? text('shared.noKey'));
  return (
    <FieldTable
      title={text('lead.changes')}
      caption={text('lead.changesCaption')}
      fields={[
        { title: 'shared.when', kind: 'time', of: ({ createdAt }) => createdAt },
        { title: 'shared.what', kind: 'text', of: ({ context }) => context },
        {
          title: 'lead.changedFields',
          show: (entry) => (
            <ChangedFields {...{ isShown, changes: storedChanges(entry.changes) }} />
          ),
        },
        { title: 'shared.key', kind: 'text', of: (entry) => keyOf(entry.apiKeyId?.toHexString()) },
        requestIdField,
      ]}
      part="changes"
      {...changes}
    />
  );
}

/** Only fields of `data` and `additionalData` can be personal; ids and flags are not. */
function ChangedFields({
  isShown,
  changes,
}: Pick<LeadViewProps, 'isShown'> & { readonly changes: readonly FieldChange[] }) {
  const { text } = useReader();
  if (changes.length === 0) return <>{text('lead.nothingChanged')}</>;
  const more = changes.length - maxFields;
  return (
    <ul class="plain" dir="ltr">
      {changes.slice(0, maxFields).map(({ field, from, to }, index) => {
        const [, top, name = ''] = /^(data|additionalData)\.(.*)$/s.exec(field) ?? [];
        const shown = (value: unknown) =>
          top === undefined && value !== null ? plainText(value) : maskedValue(value, isShown);
        return (
          <li key={index}>
            <code>{top === undefined ? field : `${top}.${maskedName(name, isShown)}`}</code>
            {`: ${shown(from)} → ${shown(to)}`}
          </li>
        );
      })}
      {more > 0 && <li>{text('lead.moreFields', { count: more })}</li>}
    </ul>
  );
}

function Events({ events, deliveries, endpoints }: LeadViewProps) {
  const { text } = useReader();
  const byId = new Map(endpoints.map((endpoint) => [endpoint._id, endpoint]));
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId.toHexString());
  return (
    <FieldTable
      title={text('lead.events')}
      caption={text('lead.eventsCaption')}
      fields={[
        { title: 'shared.when', kind: 'time', of: ({ createdAt }) => createdAt },
        { title: 'shared.event', kind: 'code', of: ({ type }) => type },
        { title: 'lead.feedNumber', kind: 'code', of: ({ sequence }) => sequence },
        {
          title: 'lead.sentTo',
          show: (event) => (
            <SentTo
              event={event}
              endpoints={byId}
              sent={byEvent.get(event._id.toHexString()) ?? []}
            />
          ),
        },
        requestIdField,
      ]}
      part="events"
      {...events}
    />
  );
}

function SentTo({
  event,
  sent,
  endpoints,
}: {
  readonly event: ListedEvent;
  readonly sent: readonly ListedDelivery[];
  readonly endpoints: ReadonlyMap<string, ShownEndpoint>;
}) {
  const { text } = useReader();
  if (!event.numberedAt) return <>{text('lead.notRelayed')}</>;
  if (event.failureReason) return <span class="bad">{event.failureReason}</span>;
  if (sent.length === 0) return <>{text('lead.sentToNobody')}</>;
  return (
    <ul class="plain">
      {sent.slice(0, maxDeliveries).map(({ _id, endpointId, status }) => {
        const id = _id.toHexString();
        const endpoint = endpoints.get(endpointId.toHexString());
        const isFailed = status === 'failed';
        return (
          <li key={id}>
            <Link to={`/webhooks/deliveries/${id}`}>
              <Code>{endpoint ? maskedUrl(endpoint.url) : endpointId.toHexString()}</Code>
            </Link>{' '}
            <span class={isFailed ? 'bad' : ''}>{text(`delivery.${status}`)}</span>
            {isFailed && endpoint?.isEnabled && <ResendDelivery deliveryId={id} />}
          </li>
        );
      })}
      {sent.length > maxDeliveries && <li>{text('shared.more', { count: maxDeliveries })}</li>}
    </ul>
  );
}
