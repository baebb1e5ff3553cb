import type { Types } from 'mongoose';
import { textIn } from '../../../../core/localization/language.js';
import { type FieldChange, storedChanges } from '../../../../tenants/change-log/field-changes.js';
import type { ListedDelivery } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { ListedEvent } from '../../../../events/outbox/event-history.service.js';
import { requestIdField } from '../../../views/common.js';
import { clientFields, leadFields } from '../../../views/lead.js';
import { reservationListFields } from '../../../views/reservation.js';
import { type ConsolePage, type PageRequest, useReader } from '../page.js';
import { FieldList, FieldTable, type ShownField } from '../shared/fields.js';
import { maskedName, maskedUrl, maskedValue, plainText } from '../shared/masking.js';
import { disclosing, outcomeOf, ResendDelivery } from '../shared/operator-actions.js';
import { recordOf } from '../shared/organizations.js';
import { Card, Code, keysetRequestOf, Link } from '../shared/parts.js';

const changesPerPage = 20;
const eventsPerPage = 20;
const maxReservations = 10;
/** Further receivers of an event, and fields of a request, are only counted. */
const maxReceivers = 20;
const maxFields = 30;

/** A lead with its changes and events: answers "our leads do not arrive". */
export const leadPage: ConsolePage = {
  path: '/leads/:organization/:id',
  title: 'shared.lead',
  actions: { show: disclosing(read) },
  read,
};

async function read(request: PageRequest) {
  const { text, services, language } = request;
  const record = await recordOf(request);
  const inspected = record && (await services.leads.inspect(record.organization._id, record.id));
  if (record === null || inspected === null) return null;
  const { organization, id } = record;
  const { _id: organizationId } = organization;
  const subjectId = id.toHexString();
  const { lead, client } = inspected;
  const [changes, events, reservations, keys, outcome] = await Promise.all([
    services.changeLog.historyOf(
      organizationId,
      id,
      keysetRequestOf(request, 'changes', changesPerPage),
    ),
    services.events.about(
      organizationId,
      [subjectId],
      keysetRequestOf(request, 'events', eventsPerPage),
    ),
    services.reservations.list(organizationId, { leadId: id }, { limit: maxReservations }),
    services.keys.list(organizationId),
    outcomeOf(request, organizationId),
  ]);
  const names = new Map([
    [lead.assignedToId, inspected.assignedTo],
    ...lead.compoundsIds.map(
      (compound, index) => [compound, textIn(inspected.compounds[index], language)] as const,
    ),
  ]);
  const keyNames = new Map(keys.map(({ _id, name }) => [_id.toHexString(), name]));
  const keyOf = (key: Types.ObjectId | null | undefined) =>
    key ? (keyNames.get(key.toHexString()) ?? text('shared.import')) : null;
  const body = (
    <>
      <div class="columns">
        <FieldList
          title={text('lead.fields')}
          fields={[{ title: 'shared.organization', show: () => organization.name }, ...leadFields]}
          item={{ ...inspected, ...lead }}
        />
        <Card title={text('lead.client')}>
          {client === null && <p class="note">{text('lead.clientNone')}</p>}
          {client !== null && <FieldList fields={clientFields} item={client} />}
        </Card>
      </div>
      <FieldTable
        title={text('lead.changes')}
        fields={[
          { title: 'shared.when', kind: 'time', of: ({ createdAt }) => createdAt },
          { title: 'shared.what', kind: 'text', of: ({ context }) => context },
          {
            title: 'lead.changedFields',
            show: (entry) => <ChangedFields changes={storedChanges(entry.changes)} names={names} />,
          },
          { title: 'shared.key', kind: 'text', of: ({ apiKeyId }) => keyOf(apiKeyId) },
          requestIdField,
        ]}
        part="changes"
        {...changes}
      />
      <FieldTable
        title={text('shared.events')}
        fields={await eventFields(request, organizationId, events.items)}
        part="events"
        {...events}
      />
      <FieldTable
        title={text('shared.reservations')}
        fields={reservationListFields}
        {...reservations}
      />
    </>
  );
  return {
    ...outcome,
    heading: text('lead.heading', { number: String(lead.leadId) }),
    personal: { organizationId, subject: 'lead', subjectId } as const,
    body,
  };
}

/** Only fields of `data` and `additionalData` can be personal; ids and flags are not. */
function ChangedFields({
  changes,
  names,
}: {
  readonly changes: readonly FieldChange[];
  /** Shown instead of ids. */
  readonly names: ReadonlyMap<string | null, string | undefined>;
}) {
  const { text, isShown } = useReader();
  if (changes.length === 0) return <>{text('lead.nothingChanged')}</>;
  return (
    <ul class="plain" dir="ltr">
      {changes.slice(0, maxFields).map(({ field, from, to }, index) => {
        const [, top, name = ''] = /^(data|additionalData)\.(.*)$/s.exec(field) ?? [];
        const shown = (value: unknown) =>
          top === undefined && value !== null
            ? plainText(value).replaceAll(/[\da-f]{24}/g, (id) => names.get(id) ?? id)
            : maskedValue(value, isShown);
        return (
          <li key={index}>
            <code>{top === undefined ? field : `${top}.${maskedName(name, isShown)}`}</code>
            {`: ${shown(from)} → ${shown(to)}`}
          </li>
        );
      })}
      {changes.length > maxFields && <li>{text('shared.more', { count: maxFields })}</li>}
    </ul>
  );
}

async function eventFields(
  { services }: PageRequest,
  organizationId: Types.ObjectId,
  events: readonly ListedEvent[],
): Promise<ShownField<ListedEvent>[]> {
  const [endpoints, ...sent] = await Promise.all([
    services.endpoints.list(organizationId),
    ...events.map(async ({ _id }) => {
      const filter = { eventIds: [_id] };
      const part = { limit: maxReceivers + 1 };
      return [_id, await services.deliveries.listPage(organizationId, filter, part)] as const;
    }),
  ]);
  const byId = new Map(endpoints.map((endpoint) => [endpoint._id, endpoint]));
  const byEvent = new Map(sent.map(([eventId, { items }]) => [eventId, items]));
  return [
    { title: 'shared.when', kind: 'time', of: ({ createdAt }) => createdAt },
    { title: 'shared.event', kind: 'code', of: ({ type }) => type },
    { title: 'lead.feedNumber', kind: 'code', of: ({ sequence }) => sequence },
    {
      title: 'lead.sentTo',
      show: (event) => (
        <SentTo event={event} endpoints={byId} sent={byEvent.get(event._id) ?? []} />
      ),
    },
    requestIdField,
  ];
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
      {sent.slice(0, maxReceivers).map(({ _id, endpointId, status }) => {
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
      {sent.length > maxReceivers && <li>{text('shared.more', { count: maxReceivers })}</li>}
    </ul>
  );
}
