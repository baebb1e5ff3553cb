import type { Types } from 'mongoose';
import { localizedText } from '../../../../core/localization/language.js';
import type { ListedEvent } from '../../../../events/outbox/outbox-events.repository.js';
import { type FieldChange, storedChanges } from '../../../../tenants/change-log/field-changes.js';
import type { ListedDelivery } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { EndpointView } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { requestIdField } from '../../../views/common.js';
import { clientFields, leadFields } from '../../../views/lead.js';
import { reservationListFields } from '../../../views/reservation.js';
import type { ConsolePage, PageRequest, RenderContext } from '../page.js';
import { FieldList, FieldTable } from '../shared/tables.js';
import { maskedName, maskedUrl, maskedValue, plainText } from '../shared/masking.js';
import { withDisclosureLog, actionOutcome, ResendDelivery } from '../shared/operator-actions.js';
import { recordFromPath } from '../shared/organizations.js';
import { Code, keysetRequestOf, Link } from '../shared/components.js';

const maxReservations = 10;
/** Further receivers of an event and fields of a request are only counted. */
const maxReceivers = 15;
const maxFields = 30;

/** Answers "Why are our leads not arriving?". */
export const leadPage: ConsolePage = {
  path: '/leads/:organization/:id',
  title: 'shared.lead',
  actions: { show: withDisclosureLog(read) },
  read,
};

async function read(request: PageRequest) {
  const { text, services, language } = request;
  const record = await recordFromPath(request);
  const inspected = record && (await services.leads.inspect(record.organization._id, record.id));
  if (record === null || inspected === null) return null;
  const { organization, id } = record;
  const { _id: organizationId } = organization;
  const subjectId = id.toHexString();
  const { lead, client } = inspected;
  const [changes, events, reservations, keys, endpoints, outcome] = await Promise.all([
    services.changeLog.historyOf(organizationId, id, keysetRequestOf(request, 'changes')),
    services.events.listByObjects(organizationId, [subjectId], keysetRequestOf(request, 'events')),
    services.reservations.list(organizationId, { leadId: id }, { limit: maxReservations }),
    services.keys.list(organizationId),
    services.endpoints.list(organizationId),
    actionOutcome(request, organizationId),
  ]);
  const sentEvents = await Promise.all(
    events.items.map(async (event) => {
      const filter = { eventIds: [event._id] };
      const part = { limit: maxReceivers + 1 };
      const { items } = await services.deliveries.listPage(organizationId, filter, part);
      return { ...event, sent: items };
    }),
  );
  const names = new Map([
    [lead.assignedToId, inspected.assignedTo],
    ...lead.compoundsIds.map(
      (compound, index) => [compound, localizedText(inspected.compounds[index], language)] as const,
    ),
  ]);
  const keyNames = new Map(keys.map(({ _id, name }) => [_id.toHexString(), name]));
  const keyOf = (key: Types.ObjectId | null | undefined) =>
    key ? (keyNames.get(key.toHexString()) ?? text('shared.import')) : null;
  const body = (
    <>
      <div class="columns">
        <FieldList
          title={text('shared.now')}
          fields={[{ title: 'shared.organization', show: () => organization.name }, ...leadFields]}
          item={{ ...inspected, ...lead }}
        />
        {client !== null && (
          <FieldList title={text('lead.client')} fields={clientFields} item={client} />
        )}
      </div>
      <FieldTable
        title={text('lead.changes')}
        fields={[
          { title: 'shared.when', kind: 'time', of: ({ createdAt }) => createdAt },
          { title: 'shared.type', kind: 'text', of: ({ context }) => context },
          {
            title: 'lead.changedFields',
            show: (entry, page) => changedFields(storedChanges(entry.changes), names, page),
          },
          { title: 'shared.key', kind: 'text', of: ({ apiKeyId }) => keyOf(apiKeyId) },
          requestIdField,
        ]}
        part="changes"
        {...changes}
      />
      <FieldTable
        title={text('shared.events')}
        fields={[
          { title: 'shared.when', kind: 'time', of: ({ createdAt }) => createdAt },
          { title: 'shared.event', kind: 'code', of: ({ type }) => type },
          { title: 'lead.feedNumber', kind: 'code', of: ({ sequence }) => sequence },
          { title: 'lead.sentTo', show: (event, page) => receiverList(event, endpoints, page) },
          requestIdField,
        ]}
        part="events"
        items={sentEvents}
        next={events.next}
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
    name: String(lead.leadId),
    personal: { organizationId, subject: 'lead', subjectId } as const,
    body,
  };
}

/** Only fields of `data` and `additionalData` may be personal. */
function changedFields(
  changes: readonly FieldChange[],
  /** Names to show instead of ids. */
  names: ReadonlyMap<string | null, string | undefined>,
  { text, isShown }: RenderContext,
) {
  if (changes.length === 0) return text('lead.nothingChanged');
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

function receiverList(
  { numberedAt, failureReason, sent }: ListedEvent & { readonly sent: readonly ListedDelivery[] },
  endpoints: readonly EndpointView[],
  { text }: RenderContext,
) {
  if (!numberedAt) return text('lead.notRelayed');
  if (failureReason) return <span class="bad">{failureReason}</span>;
  if (sent.length === 0) return text('lead.sentToNobody');
  return (
    <ul class="plain">
      {sent.slice(0, maxReceivers).map(({ _id, endpointId, status }) => {
        const id = _id.toHexString();
        const endpoint = endpoints.find((one) => one._id === endpointId.toHexString());
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
