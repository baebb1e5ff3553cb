import type { ComponentChildren } from 'preact';
import type { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import { type FieldChange, storedChanges } from '../../../../tenants/change-log/field-changes.js';
import type {
  InspectedLead,
  LeadInspectionService,
} from '../../../../leads/inspection/lead-inspection.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import type { ReservationHistoryService } from '../../../../reservations/reading/reservation-history.service.js';
import type {
  ListedDelivery,
  WebhookDeliveriesService,
} from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type {
  ListedEvent,
  EventHistoryService,
} from '../../../../events/outbox/event-history.service.js';
import type { PageRequest } from '../page.js';
import { maskedFields, maskedName, maskedValue, plainText } from '../shared/masking.js';
import { Card, Code, DataTable, Facts, Link, Pages, When } from '../shared/parts.js';
import { PersonalData } from '../shared/personal-data.js';
import { reservationColumns, reservationRow } from '../reservations/reservation-rows.js';
import { leadColumns, leadRow, leadState } from './lead-rows.js';

interface ShownLead {
  readonly request: PageRequest;
  /** Whether personal data is shown. */
  readonly isShown: boolean;
  readonly organization: Organization;
  readonly inspected: InspectedLead;
  readonly changes: Awaited<ReturnType<LeadInspectionService['history']>>;
  readonly events: Awaited<ReturnType<EventHistoryService['about']>>;
  readonly deliveries: Awaited<ReturnType<WebhookDeliveriesService['ofEvents']>>;
  readonly reservations: Awaited<ReturnType<ReservationHistoryService['ofLeads']>>;
  readonly keys: Awaited<ReturnType<ApiKeysService['list']>>;
}

/** More changed fields of one request are counted only. */
const mostFields = 30;

/** What the page of a lead shows. */
export function LeadView(shown: ShownLead) {
  const { request, isShown, organization, inspected } = shown;
  const organizationId = organization._id.toHexString();
  const path = `/leads/${organizationId}/${inspected.lead._id}`;
  return (
    <>
      <PersonalData request={request} path={path} isShown={isShown} />
      <div class="columns">
        <Fields {...shown} />
        <Client {...shown} />
      </div>
      <Changes {...shown} />
      <Events {...shown} />
      <Reservations {...shown} />
      <Others {...shown} />
    </>
  );
}

function Fields({ request, isShown, organization, inspected: { lead, isErased } }: ShownLead) {
  const { text } = request;
  const fields = [
    ...maskedFields(lead.data, isShown),
    ...maskedFields(lead.additionalData, isShown).map(
      ([name, value]) => [`additionalData.${name}`, value] as const,
    ),
  ];
  const state = leadState(request, lead);
  return (
    <Card title={text('lead.fields')}>
      <Facts
        facts={[
          [text('shared.organization'), organization.name],
          [text('shared.id'), <Code>{lead._id}</Code>],
          [text('lead.number'), lead.leadId],
          [text('shared.externalId'), <Code>{lead.recordSystemId ?? '–'}</Code>],
          [text('shared.state'), isErased ? `${state}, ${text('shared.erased')}` : state],
          [text('lead.assignedTo'), lead.assignedToId && <Code>{lead.assignedToId}</Code>],
          [text('lead.compounds'), lead.compoundsIds.length],
          [text('shared.created'), <When request={request} time={lead.createdAt} />],
          [text('shared.updated'), <When request={request} time={lead.updatedAt} />],
        ]}
      />
      <DataTable
        request={request}
        caption={text('lead.fieldsCaption')}
        columns={[text('shared.field'), text('shared.value')]}
        rows={fields.map(([name, value]) => [<Code>{name}</Code>, value])}
      />
    </Card>
  );
}

function Client({ request, isShown, inspected: { client } }: ShownLead) {
  const { text } = request;
  if (client === null) {
    return (
      <Card title={text('lead.client')}>
        <p class="note">{text('lead.clientNone')}</p>
      </Card>
    );
  }
  const states = [
    ...(client.isDeleted ? [text('shared.deleted')] : []),
    ...(client.isErased ? [text('shared.erased')] : []),
  ];
  const phones = client.phoneNumbers.map((phone) => maskedValue(phone, isShown));
  return (
    <Card title={text('lead.client')}>
      <Facts
        facts={[
          [text('shared.id'), <Code>{client._id}</Code>],
          [text('shared.state'), states.join(', ') || text('shared.active')],
          [text('lead.name'), maskedValue(client.name, isShown)],
          [text('lead.email'), <Code>{maskedValue(client.email, isShown)}</Code>],
          [text('lead.phones'), <Code>{phones.join(', ') || '–'}</Code>],
          [text('shared.created'), <When request={request} time={client.createdAt} />],
          [text('shared.updated'), <When request={request} time={client.updatedAt} />],
        ]}
      />
    </Card>
  );
}

function Changes({ request, isShown, changes, keys }: ShownLead) {
  const { text } = request;
  const names = new Map(keys.map(({ _id, name }) => [_id.toHexString(), name]));
  const keyOf = (id: string | undefined) =>
    id === undefined ? '–' : (names.get(id) ?? text('shared.noKey'));
  return (
    <Card title={text('lead.changes')}>
      <DataTable
        request={request}
        caption={text('lead.changesCaption')}
        columns={[
          text('shared.when'),
          text('shared.what'),
          text('lead.changedFields'),
          text('shared.key'),
          text('shared.request'),
        ]}
        rows={changes.items.map((entry) => [
          <When request={request} time={entry.createdAt} />,
          <span dir="ltr">{entry.context ?? '–'}</span>,
          <ChangedFields
            request={request}
            isShown={isShown}
            changes={storedChanges(entry.changes)}
          />,
          keyOf(entry.apiKeyId?.toHexString()),
          <Code>{entry.requestId ?? '–'}</Code>,
        ])}
      />
      <Pages request={request} name="changes" next={changes.next} label={text('lead.changes')} />
    </Card>
  );
}

function ChangedFields({
  request: { text },
  isShown,
  changes,
}: {
  readonly request: PageRequest;
  readonly isShown: boolean;
  readonly changes: readonly FieldChange[];
}) {
  if (changes.length === 0) return <>{text('lead.nothingChanged')}</>;
  const more = changes.length - mostFields;
  return (
    <ul class="plain" dir="ltr">
      {changes.slice(0, mostFields).map((change, index) => (
        <li key={index}>{changeText(change, isShown)}</li>
      ))}
      {more > 0 && <li>{text('lead.moreFields', { count: more })}</li>}
    </ul>
  );
}

/** Ids and flags say nothing of a person. */
function changeText({ field, from, to }: FieldChange, isShown: boolean): ComponentChildren {
  const [, top, name] = /^(data|additionalData)\.(.*)$/s.exec(field) ?? [];
  const isPlain = top === undefined;
  const shown = (value: unknown) =>
    isPlain && value !== null ? plainText(value) : maskedValue(value, isShown);
  return (
    <>
      <code>{top === undefined ? field : `${top}.${maskedName(name ?? '', isShown)}`}</code>
      {`: ${shown(from)} → ${shown(to)}`}
    </>
  );
}

function Events({ request, events, deliveries }: ShownLead) {
  const { text } = request;
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId.toHexString());
  return (
    <Card title={text('lead.events')}>
      <DataTable
        request={request}
        caption={text('lead.eventsCaption')}
        columns={[
          text('shared.when'),
          text('lead.event'),
          text('lead.feedNumber'),
          text('lead.toldTo'),
          text('shared.request'),
        ]}
        rows={events.items.map((event) => [
          <When request={request} time={event.createdAt} />,
          <Code>{event.type}</Code>,
          event.sequence ?? '–',
          <ToldTo
            request={request}
            event={event}
            sent={byEvent.get(event._id.toHexString()) ?? []}
          />,
          <Code>{event.requestId ?? '–'}</Code>,
        ])}
      />
      <Pages request={request} name="events" next={events.next} label={text('lead.events')} />
    </Card>
  );
}

function ToldTo({
  request: { text },
  event,
  sent,
}: {
  readonly request: PageRequest;
  readonly event: ListedEvent;
  readonly sent: readonly ListedDelivery[];
}) {
  if (!event.numberedAt) return <>{text('lead.notRelayed')}</>;
  if (event.failureReason) return <span class="bad">{event.failureReason}</span>;
  if (sent.length === 0) return <>{text('lead.toldNobody')}</>;
  return (
    <ul class="plain">
      {sent.map(({ _id, endpointId, status }) => (
        <li key={_id.toHexString()}>
          <Link to={`/webhooks/deliveries/${_id.toHexString()}`}>
            <Code>{endpointId.toHexString()}</Code>
          </Link>{' '}
          <span class={status === 'failed' ? 'bad' : ''}>{text(`delivery.${status}`)}</span>
        </li>
      ))}
    </ul>
  );
}

function Reservations({ request, organization, reservations }: ShownLead) {
  const { text } = request;
  const { items, next } = reservations;
  return (
    <Card title={text('shared.reservations')}>
      <DataTable
        request={request}
        caption={text('lead.reservationsCaption')}
        columns={reservationColumns(request)}
        rows={items.map((one) => reservationRow(request, organization._id.toHexString(), one))}
      />
      {next !== null && <p class="note">{text('shared.more', { count: items.length })}</p>}
    </Card>
  );
}

function Others({ request, organization, inspected: { others, hasMoreOthers } }: ShownLead) {
  const { text } = request;
  const organizationId = organization._id.toHexString();
  const names = { phone: text('lead.sharesPhone'), client: text('lead.sharesClient') };
  return (
    <Card title={text('lead.others')}>
      <DataTable
        request={request}
        caption={text('lead.othersCaption')}
        columns={[...leadColumns(request), text('lead.shares')]}
        rows={others.map(({ lead, shares }) => [
          ...leadRow(request, organizationId, lead),
          shares.map((share) => names[share]).join(', '),
        ])}
      />
      {hasMoreOthers && <p class="note">{text('shared.more', { count: others.length })}</p>}
    </Card>
  );
}
