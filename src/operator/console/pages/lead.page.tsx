import type { Types } from 'mongoose';
import type { KeysetPage } from '../../../core/database/documents/keyset.js';
import { localizedText } from '../../../core/localization/language.js';
import type { ListedEvent } from '../../../events/outbox/outbox-events.repository.js';
import type { ChangeLogRepository } from '../../../tenants/change-log/change-log.repository.js';
import { type FieldChange, storedChanges } from '../../../tenants/change-log/field-changes.js';
import type { ListedDelivery } from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { EndpointView } from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { clientFields, leadFields } from '../../views/lead.js';
import { reservationListFields } from '../../views/reservation.js';
import {
  Badge,
  Card,
  Copyable,
  Empty,
  keysetRequestOf,
  Link,
  Pagination,
  Time,
} from '../components/components.js';
import { maskedName, maskedUrl, maskedValue, plainText } from '../components/masking.js';
import { ResendDelivery, withDisclosureLog } from '../components/operator-actions.js';
import { DetailsLine, FieldList, TableCard } from '../components/tables.js';
import { type ConsolePage, type PageRequest, useRenderContext } from '../page.js';
import { recordFromPath } from './record.js';

const maxReservations = 10;
const maxDeliveries = 200;
/** Further fields of a request are only counted. */
const maxFields = 30;

/** Answers what happened to a lead, and who received its events. */
export const leadPage: ConsolePage = {
  path: '/leads/:organization/:id',
  title: 'Lead',
  actions: { show: withDisclosureLog(read) },
  read,
};

async function read(request: PageRequest) {
  const { services } = request;
  const record = await recordFromPath(request);
  const inspected = record && (await services.leads.inspect(record.organization._id, record.id));
  if (record === null || inspected === null) return null;
  const { organization, id } = record;
  const { _id: organizationId } = organization;
  const subjectId = id.toHexString();
  const { lead, client } = inspected;
  const [changes, events, reservations, keys, endpoints] = await Promise.all([
    services.changeLog.historyOf(organizationId, id, keysetRequestOf(request, 'changes')),
    services.events.listByObjects(organizationId, [subjectId], keysetRequestOf(request, 'events')),
    services.reservations.list(organizationId, { leadId: id }, { limit: maxReservations }),
    services.keys.list(organizationId),
    services.endpoints.list(organizationId),
  ]);
  const eventIds = events.items.map(({ _id }) => _id);
  const sent = await services.deliveries.listPage(
    organizationId,
    { eventIds },
    { limit: maxDeliveries },
  );
  const names = new Map([
    [lead.assignedToId, inspected.assignedTo],
    ...lead.compoundsIds.map(
      (compound, index) => [compound, localizedText(inspected.compounds[index], 'en-us')] as const,
    ),
  ]);
  const keyNames = new Map(keys.map(({ _id, name }) => [_id.toHexString(), name ?? '']));
  const body = (
    <>
      <Card title="Now">
        <FieldList fields={leadFields} item={{ ...inspected, ...lead }} />
      </Card>
      <Changes {...changes} keyNames={keyNames} names={names} />
      <Events {...events} endpoints={endpoints} sent={sent.items} />
      {client !== null && (
        <Card title="Client">
          <FieldList fields={clientFields} item={client} />
        </Card>
      )}
      <TableCard
        title="Reservations"
        fields={reservationListFields}
        {...reservations}
        empty={['No reservation', 'Reservations of this lead are listed here.']}
      />
    </>
  );
  return {
    heading: `Lead ${lead.leadId}`,
    summary: organization.name,
    personal: { organizationId, subject: 'lead', subjectId } as const,
    body,
  };
}

type Names = ReadonlyMap<string | null, string | undefined>;

function Changes({
  items,
  next,
  keyNames,
  names,
}: Awaited<ReturnType<ChangeLogRepository['historyOf']>> & {
  readonly keyNames: ReadonlyMap<string, string>;
  readonly names: Names;
}) {
  return (
    <Card title="Changes" isFlush>
      {items.length === 0 && (
        <Empty title="No change is known">
          Each request that changed the lead is listed here, with its key and what it changed.
        </Empty>
      )}
      <ol class="list-group list-group-flush">
        {items.map((entry) => {
          const changes = storedChanges(entry.changes);
          const line = [
            <Time time={entry.createdAt} />,
            <Badge severity="note">{entry.context}</Badge>,
            keyOf(keyNames, entry.apiKeyId),
            summaryOf(changes),
          ];
          return (
            <DetailsLine key={entry._id.toHexString()} line={line}>
              <ChangedFields changes={changes} names={names} />
              {entry.requestId && (
                <p class="mb-0 mt-2">
                  Request <Copyable value={entry.requestId} />
                </p>
              )}
            </DetailsLine>
          );
        })}
      </ol>
      <Pagination name="changes" next={next} label="changes" />
    </Card>
  );
}

function Events({
  items,
  next,
  endpoints,
  sent,
}: KeysetPage<ListedEvent> & {
  readonly endpoints: readonly EndpointView[];
  readonly sent: readonly ListedDelivery[];
}) {
  return (
    <Card title="Events, and who received them" isFlush>
      {items.length === 0 && (
        <Empty title="No event">
          Events about the lead, and the endpoints they were sent to, are listed here.
        </Empty>
      )}
      <ol class="list-group list-group-flush">
        {items.map((event) => (
          <EventLine
            key={event._id.toHexString()}
            event={event}
            endpoints={endpoints}
            sent={sent.filter(({ eventId }) => eventId.equals(event._id))}
          />
        ))}
      </ol>
      <Pagination name="events" next={next} label="events" />
    </Card>
  );
}

function keyOf(names: ReadonlyMap<string, string>, id: Types.ObjectId | null | undefined): string {
  return id ? (names.get(id.toHexString()) ?? 'import') : '–';
}

function summaryOf(changes: readonly FieldChange[]): string {
  if (changes.length === 0) return 'changed nothing';
  return changes.length === 1 ? '1 field' : `${changes.length} fields`;
}

/** Only fields of `data` and `additionalData` may be personal. */
function ChangedFields({
  changes,
  names,
}: {
  readonly changes: readonly FieldChange[];
  /** Names to show instead of ids. */
  readonly names: Names;
}) {
  const { isShown } = useRenderContext();
  if (changes.length === 0) return <p class="mb-0">The request changed nothing.</p>;
  return (
    <ul class="list-unstyled mb-0">
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
      {changes.length > maxFields && <li>and {changes.length - maxFields} further fields</li>}
    </ul>
  );
}

function EventLine({
  event: { type, createdAt, sequence, numberedAt, failureReason, requestId },
  endpoints,
  sent,
}: {
  readonly event: ListedEvent;
  readonly endpoints: readonly EndpointView[];
  readonly sent: readonly ListedDelivery[];
}) {
  const countOf = (wanted: ListedDelivery['status']) =>
    sent.filter(({ status }) => status === wanted).length;
  const [failed, waiting] = [countOf('failed'), countOf('pending')];
  return (
    <DetailsLine
      line={[
        <Time time={createdAt} />,
        <code>{type}</code>,
        <Badge severity={failureReason || failed > 0 ? 'bad' : 'good'}>
          {receiversOf({
            isNumbered: Boolean(numberedAt),
            failureReason,
            sent: sent.length,
            failed,
            waiting,
          })}
        </Badge>,
      ]}
    >
      {sent.map(({ _id, endpointId, status }) => {
        const id = _id.toHexString();
        const endpoint = endpoints.find((candidate) => candidate._id === endpointId.toHexString());
        return (
          <p key={id} class="mb-1">
            <Link to={`/webhooks/deliveries/${id}`}>
              <code>{endpoint ? maskedUrl(endpoint.url) : endpointId.toHexString()}</code>
            </Link>{' '}
            {status}
            {status === 'failed' && endpoint?.isEnabled && <ResendDelivery deliveryId={id} />}
          </p>
        );
      })}
      <p class="mb-0 text-secondary">
        Number {sequence ?? '–'} in the feed
        {requestId && (
          <>
            {' '}
            · request <Copyable value={requestId} />
          </>
        )}
      </p>
    </DetailsLine>
  );
}

function receiversOf({
  isNumbered,
  failureReason,
  sent,
  failed,
  waiting,
}: {
  readonly isNumbered: boolean;
  readonly failureReason: string | null | undefined;
  readonly sent: number;
  readonly failed: number;
  readonly waiting: number;
}): string {
  if (!isNumbered) return 'not sent yet';
  if (failureReason) return failureReason;
  if (sent === 0) return 'no endpoint wants it';
  if (failed > 0) return `failed at ${failed} of ${sent}`;
  return waiting === 0 ? `sent to ${sent}` : `waits for ${waiting} of ${sent}`;
}
