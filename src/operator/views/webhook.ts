import type {
  ListedDelivery,
  DeliveryDetails,
} from '../../webhooks/deliveries/webhook-deliveries.service.js';
import type { EndpointHealth } from '../../webhooks/statistics/webhook-stats.service.js';
import type { EndpointView } from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { createdAtField, idField, organizationField, updatedAtField } from './common.js';
import { eventPath, field, type Severity, type ViewField } from './view-field.js';

/** The console adds health and the name of the organization. */
type Endpoint = Omit<EndpointView, 'isRemoved'> & {
  readonly organizationName?: string | undefined;
  readonly health?: EndpointHealth | undefined;
  readonly pending?: number;
  /** True if counting `pending` stopped at its limit. */
  readonly hasMore?: boolean;
};

const severities: Readonly<Record<ListedDelivery['status'], Severity>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
};
const url = field('url', 'URL', 'url');
const eventTypes = field('code', 'Events', 'eventTypes');

const disabledReasons: ReadonlyMap<string, string> = new Map([
  ['operator', 'by the operator'],
  ['gone', 'the receiver responded 410'],
  ['failing', 'it failed for five days without a success'],
  ['removed', 'removed'],
]);

interface State {
  readonly name: string;
  readonly severity: Severity;
  readonly why: string | number | null;
  readonly since: Date | null | undefined;
}

function stateOf(endpoint: Endpoint): State {
  const { fault, failingSince: since, pausedUntil, health } = endpoint;
  if (!endpoint.isEnabled) return disabledState(endpoint);
  if (fault !== null) return { name: 'faulty', severity: 'bad', why: fault, since };
  const { lastFailure, retriedSince } = health ?? {};
  if (pausedUntil !== null && pausedUntil > new Date()) {
    const pausedSince = lastFailure?.startedAt ?? since;
    return {
      name: 'paused',
      severity: 'warn',
      why: 'the receiver asked for it',
      since: pausedSince,
    };
  }
  const why = lastFailure?.statusCode ?? lastFailure?.error ?? null;
  if (since !== null) return { name: 'failing', severity: 'bad', why, since };
  if (retriedSince) return { name: 'retrying', severity: 'warn', why, since: retriedSince };
  return { name: 'healthy', severity: 'good', why: null, since: null };
}

function disabledState({ disabledReason, updatedAt: since }: Endpoint): State {
  const why =
    disabledReason === null ? null : (disabledReasons.get(disabledReason) ?? disabledReason);
  return disabledReason === 'gone' || disabledReason === 'failing'
    ? { name: 'given up', severity: 'bad', why, since }
    : { name: 'disabled', severity: 'warn', why, since };
}

const endpointState: ViewField<Endpoint> = field(
  'status',
  'State',
  (endpoint) => stateOf(endpoint).name,
  { note: (endpoint) => stateOf(endpoint).why, severity: (endpoint) => stateOf(endpoint).severity },
);
const stateSince: ViewField<Endpoint> = field(
  'time',
  'Since',
  (endpoint) => stateOf(endpoint).since,
);
const failingSince: ViewField<Endpoint> = field('time', 'Failing since', 'failingSince');

interface ListedEndpoint {
  readonly _id: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly state: string;
  /** The counts stop at a limit. */
  readonly waiting: number;
  readonly hasMoreWaiting: boolean;
  readonly failed: number;
  readonly hasMoreFailed: boolean;
  readonly lastSuccessAt: Date | null;
}

export const endpointListFields: readonly ViewField<ListedEndpoint>[] = [
  idField,
  url,
  eventTypes,
  field('status', 'State', 'state'),
  field('code', 'Waiting', (one) => countText(one.waiting, one.hasMoreWaiting)),
  field('code', 'Failed', (one) => countText(one.failed, one.hasMoreFailed)),
  field('time', 'Last success', 'lastSuccessAt'),
];

/** Few fields, because the console shows charts in the same rows. */
export const endpointSummaryFields: readonly ViewField<Endpoint>[] = [
  { ...url, to: ({ _id }: Endpoint) => `/webhooks/${_id}` },
  organizationField,
  endpointState,
  stateSince,
];

export const endpointFields: readonly ViewField<Endpoint>[] = [
  idField,
  organizationField,
  url,
  eventTypes,
  endpointState,
  stateSince,
  failingSince,
  field('time', 'Paused until', 'pausedUntil'),
  field(
    'time',
    'Old secret valid until',
    ({ secrets }) => secrets.find(({ expiresAt }) => expiresAt !== null)?.expiresAt,
    {
      note: ({ secrets }) =>
        secrets.some(({ expiresAt }) => expiresAt === null)
          ? 'the current one does not expire'
          : null,
    },
  ),
  createdAtField,
  updatedAtField,
  field('number', 'Pending deliveries', ({ pending }) => pending, {
    note: ({ hasMore = false }) => (hasMore ? 'or more' : null),
  }),
];

function countText(count: number, hasMore: boolean): string {
  return hasMore ? `${count}+` : String(count);
}

const deliveryId: ViewField<ListedDelivery> = field('code', 'ID', ({ _id }) => _id.toHexString());
const event: ViewField<ListedDelivery> = field('code', 'Event', 'type');
const about: ViewField<ListedDelivery> = field('code', 'Record', ({ objectId }) => objectId, {
  to: pathOfRecord,
});
const endpoint: ViewField<ListedDelivery> = field(
  'code',
  'Endpoint',
  ({ endpointId }) => endpointId.toHexString(),
  { record: 'endpoint' },
);
const deliveryState: ViewField<ListedDelivery> = field('status', 'State', ({ status }) => status, {
  note: ({ failureReason }) => failureReason,
  severity: ({ status }) => severities[status],
});
const attempts: ViewField<ListedDelivery> = field('number', 'Attempts', 'attempts');
const nextAttempt: ViewField<ListedDelivery> = field(
  'time',
  'Next attempt',
  ({ status, nextAttemptAt }) => (status === 'pending' ? nextAttemptAt : null),
);

function pathOfRecord({ type, objectId, organizationId }: ListedDelivery): string | null {
  return eventPath(type, organizationId.toHexString(), objectId);
}

const lastResponse: ViewField<ListedDelivery> = field(
  'text',
  'Last response',
  ({ lastStatusCode, lastError }) => lastStatusCode ?? lastError,
);

/** Fields for lists of the console, in which the event links to its record. */
export const deliverySummaryFields: readonly ViewField<ListedDelivery>[] = [
  { ...deliveryId, record: 'delivery' },
  { ...event, to: pathOfRecord },
  deliveryState,
  attempts,
  lastResponse,
  field('time', 'Last attempt', 'lastAttemptAt'),
  nextAttempt,
];

export const deliveryListFields: readonly ViewField<ListedDelivery>[] = [
  createdAtField,
  deliveryId,
  event,
  about,
  field('status', 'State', 'status'),
  field('number', 'Tries', 'attempts'),
  field(
    'text',
    'Response',
    ({ failureReason, lastStatusCode, lastError }) => failureReason ?? lastStatusCode ?? lastError,
  ),
];

export const deliveryFields: readonly ViewField<ListedDelivery>[] = [
  deliveryId,
  endpoint,
  field('code', 'Webhook-id', 'messageId'),
  deliveryState,
  event,
  about,
  field('number', 'Round', 'round'),
  attempts,
  createdAtField,
  nextAttempt,
  field('time', 'Completed', 'completedAt'),
  field('time', 'Erased', 'erasedAt'),
];

export const attemptFields: readonly ViewField<DeliveryDetails['log'][number]>[] = [
  field('number', 'Round', 'round'),
  field('number', 'Attempt', 'attempt'),
  field('time', 'Started', 'startedAt'),
  url,
  field('duration', 'Duration', 'milliseconds'),
  field('number', 'Status', 'statusCode'),
  field('url', 'Redirects to', 'redirectsTo'),
  field('text', 'Error', 'error'),
  field('personal', 'Response', 'response'),
];
