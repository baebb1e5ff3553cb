import type {
  ListedDelivery,
  DeliveryDetails,
} from '../../webhooks/deliveries/webhook-deliveries.service.js';
import type { EndpointHealth } from '../../webhooks/statistics/webhook-stats.service.js';
import type { EndpointView } from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { createdAtField, idField, organizationField, updatedAtField } from './common.js';
import { eventPath, field, isViewText, type Severity, type ViewField } from './view-field.js';

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
const url = field('url', 'endpoint.url', 'url');
const eventTypes = field('code', 'shared.events', 'eventTypes');

interface State {
  readonly name: 'givenUp' | 'disabled' | 'faulty' | 'paused' | 'failing' | 'retried' | 'healthy';
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
    return { name: 'paused', severity: 'warn', why: 'endpoint.reason.asked', since: pausedSince };
  }
  const why = lastFailure?.statusCode ?? lastFailure?.error ?? null;
  if (since !== null) return { name: 'failing', severity: 'bad', why, since };
  if (retriedSince) return { name: 'retried', severity: 'warn', why, since: retriedSince };
  return { name: 'healthy', severity: 'good', why: null, since: null };
}

export function isFailing(endpoint: Endpoint): boolean {
  return stateOf(endpoint).severity === 'bad';
}

function disabledState({ disabledReason, updatedAt: since }: Endpoint): State {
  const text = `endpoint.reason.${disabledReason}`;
  const why = isViewText(text) ? text : disabledReason;
  return disabledReason === 'gone' || disabledReason === 'failing'
    ? { name: 'givenUp', severity: 'bad', why, since }
    : { name: 'disabled', severity: 'warn', why, since };
}

const endpointState: ViewField<Endpoint> = field(
  'status',
  'shared.state',
  (endpoint) => `endpoint.${stateOf(endpoint).name}` as const,
  { note: (endpoint) => stateOf(endpoint).why, severity: (endpoint) => stateOf(endpoint).severity },
);
const stateSince: ViewField<Endpoint> = field(
  'time',
  'endpoint.stateSince',
  (endpoint) => stateOf(endpoint).since,
);
const failingSince: ViewField<Endpoint> = field('time', 'endpoint.failingSince', 'failingSince');

export const endpointListFields: readonly ViewField<Endpoint>[] = [
  idField,
  organizationField,
  url,
  eventTypes,
  endpointState,
  stateSince,
  createdAtField,
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
  field('time', 'endpoint.pausedUntil', 'pausedUntil'),
  field(
    'time',
    'endpoint.secretsUntil',
    ({ secrets }) => secrets.find(({ expiresAt }) => expiresAt !== null)?.expiresAt,
    {
      note: ({ secrets }) =>
        secrets.some(({ expiresAt }) => expiresAt === null) ? 'endpoint.current' : null,
    },
  ),
  createdAtField,
  updatedAtField,
  field('number', 'endpoint.waiting', ({ pending }) => pending, {
    note: ({ hasMore = false }) => (hasMore ? 'endpoint.orMore' : null),
  }),
];

const deliveryId: ViewField<ListedDelivery> = field('code', 'shared.id', ({ _id }) =>
  _id.toHexString(),
);
const event: ViewField<ListedDelivery> = field('code', 'shared.event', 'type');
const about: ViewField<ListedDelivery> = field(
  'code',
  'delivery.about',
  ({ objectId }) => objectId,
  { to: pathOfRecord },
);
const endpoint: ViewField<ListedDelivery> = field(
  'code',
  'endpoint.title',
  ({ endpointId }) => endpointId.toHexString(),
  { record: 'endpoint' },
);
const deliveryState: ViewField<ListedDelivery> = field(
  'status',
  'shared.state',
  ({ status }) => `delivery.${status}` as const,
  { note: ({ failureReason }) => failureReason, severity: ({ status }) => severities[status] },
);
const attempts: ViewField<ListedDelivery> = field('number', 'delivery.attempts', 'attempts');
const nextAttempt: ViewField<ListedDelivery> = field(
  'time',
  'delivery.next',
  ({ status, nextAttemptAt }) => (status === 'pending' ? nextAttemptAt : null),
);

function pathOfRecord({ type, objectId, organizationId }: ListedDelivery): string | null {
  return eventPath(type, organizationId.toHexString(), objectId);
}

/** Fields for lists of the console, in which the event links to its record. */
export const deliverySummaryFields: readonly ViewField<ListedDelivery>[] = [
  { ...deliveryId, record: 'delivery' },
  { ...event, to: pathOfRecord },
  deliveryState,
  attempts,
  field(
    'text',
    'delivery.response',
    ({ lastStatusCode, lastError }) => lastStatusCode ?? lastError,
  ),
  field('time', 'delivery.last', 'lastAttemptAt'),
  nextAttempt,
];

export const deliveryListFields: readonly ViewField<ListedDelivery>[] = [
  ...deliverySummaryFields.slice(0, 2),
  about,
  endpoint,
  ...deliverySummaryFields.slice(2),
  createdAtField,
];

export const deliveryFields: readonly ViewField<ListedDelivery>[] = [
  deliveryId,
  endpoint,
  field('code', 'delivery.messageId', 'messageId'),
  deliveryState,
  event,
  about,
  field('number', 'delivery.round', 'round'),
  attempts,
  createdAtField,
  nextAttempt,
  field('time', 'delivery.completed', 'completedAt'),
  field('time', 'shared.erased', 'erasedAt'),
];

export const attemptFields: readonly ViewField<DeliveryDetails['log'][number]>[] = [
  field('number', 'delivery.round', 'round'),
  field('number', 'delivery.attempt', 'attempt'),
  field('time', 'shared.started', 'startedAt'),
  url,
  field('duration', 'shared.duration', 'milliseconds'),
  field('number', 'shared.status', 'statusCode'),
  field('url', 'delivery.redirectsTo', 'redirectsTo'),
  field('text', 'delivery.error', 'error'),
  field('personal', 'shared.response', 'response'),
];
