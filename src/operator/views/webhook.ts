import type {
  ListedDelivery,
  ShownDelivery,
} from '../../webhooks/deliveries/webhook-deliveries.service.js';
import type { EndpointHealth } from '../../webhooks/statistics/webhook-statistics.service.js';
import type { ShownEndpoint } from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { createdAt, id, organizationField, updatedAt } from './common.js';
import { eventPath, isViewText, type ViewField, type Severity } from './field.js';

/** Only the console knows the name of its organization and its health. */
type Endpoint = Omit<ShownEndpoint, 'isRemoved'> & {
  readonly organizationName?: string | undefined;
  readonly health?: EndpointHealth | undefined;
  readonly pending?: number;
  /** Whether `pending` was counted up to its limit only. */
  readonly hasMore?: boolean;
};

const severities: Readonly<Record<ListedDelivery['status'], Severity>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
};
const url = { title: 'endpoint.url', kind: 'url', of: (item) => item.url } satisfies ViewField<{
  readonly url: string;
}>;
const eventTypes = {
  title: 'shared.events',
  kind: 'code',
  of: (endpoint) => endpoint.eventTypes,
} satisfies ViewField<Pick<ShownEndpoint, 'eventTypes'>>;

interface State {
  readonly name: 'givenUp' | 'paused' | 'failing' | 'retried' | 'healthy';
  readonly severity: Severity;
  readonly why: string | number | null;
  readonly since: Date | null | undefined;
}

function stateOf(endpoint: Endpoint): State {
  const { fault, failingSince: since, pausedUntil, health } = endpoint;
  if (!endpoint.isEnabled) return disabledState(endpoint);
  if (fault !== null) return { name: 'failing', severity: 'bad', why: fault, since };
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

function disabledState({ disabledReason, updatedAt: since }: Endpoint): State {
  const text = `endpoint.reason.${disabledReason}`;
  const why = isViewText(text) ? text : disabledReason;
  return disabledReason === 'gone' || disabledReason === 'failing'
    ? { name: 'givenUp', severity: 'bad', why, since }
    : { name: 'paused', severity: 'warn', why, since };
}

const endpointState: ViewField<Endpoint> = {
  title: 'shared.state',
  kind: 'status',
  of: (endpoint) => `endpoint.${stateOf(endpoint).name}` as const,
  note: (endpoint) => stateOf(endpoint).why,
  severity: (endpoint) => stateOf(endpoint).severity,
};
const stateSince: ViewField<Endpoint> = {
  title: 'endpoint.stateSince',
  kind: 'time',
  of: (endpoint) => stateOf(endpoint).since,
};
const failingSince: ViewField<Endpoint> = {
  title: 'endpoint.failingSince',
  kind: 'time',
  of: (endpoint) => endpoint.failingSince,
};

export const endpointListFields: readonly ViewField<Endpoint>[] = [
  id,
  url,
  eventTypes,
  endpointState,
  failingSince,
  createdAt,
];

/** In the list of the console, next to charts. */
export const endpointSummaryFields: readonly ViewField<Endpoint>[] = [
  { ...url, to: ({ _id }: Endpoint) => `/webhooks/${_id}` },
  organizationField,
  endpointState,
  stateSince,
];

export const endpointFields: readonly ViewField<Endpoint>[] = [
  id,
  organizationField,
  url,
  eventTypes,
  endpointState,
  stateSince,
  failingSince,
  { title: 'endpoint.pausedUntil', kind: 'time', of: ({ pausedUntil }) => pausedUntil },
  {
    title: 'endpoint.secretsUntil',
    kind: 'time',
    of: ({ secrets }) => secrets.find(({ expiresAt }) => expiresAt !== null)?.expiresAt,
    note: ({ secrets }) =>
      secrets.some(({ expiresAt }) => expiresAt === null) ? 'endpoint.current' : null,
  },
  createdAt,
  updatedAt,
  {
    title: 'endpoint.waiting',
    kind: 'number',
    of: ({ pending }) => pending,
    note: ({ hasMore = false }) => (hasMore ? 'endpoint.orMore' : null),
  },
];

const deliveryId: ViewField<ListedDelivery> = {
  title: 'shared.id',
  kind: 'code',
  of: ({ _id }) => _id.toHexString(),
};
const event: ViewField<ListedDelivery> = {
  title: 'shared.event',
  kind: 'code',
  of: ({ type }) => type,
};
const about: ViewField<ListedDelivery> = {
  title: 'delivery.about',
  kind: 'code',
  of: ({ objectId }) => objectId,
  to: pathOfRecord,
};
const endpoint: ViewField<ListedDelivery> = {
  title: 'endpoint.title',
  kind: 'code',
  of: ({ endpointId }) => endpointId.toHexString(),
  record: 'endpoint',
};
const deliveryState: ViewField<ListedDelivery> = {
  title: 'shared.state',
  kind: 'status',
  of: ({ status }) => `delivery.${status}` as const,
  note: ({ failureReason }) => failureReason,
  severity: ({ status }) => severities[status],
};
const attempts: ViewField<ListedDelivery> = {
  title: 'delivery.attempts',
  kind: 'number',
  of: (delivery) => delivery.attempts,
};
const nextAttempt: ViewField<ListedDelivery> = {
  title: 'delivery.next',
  kind: 'time',
  of: ({ status, nextAttemptAt }) => (status === 'pending' ? nextAttemptAt : null),
};

function pathOfRecord({ type, objectId, organizationId }: ListedDelivery): string | null {
  return eventPath(type, organizationId.toHexString(), objectId);
}

/** In lists of the console, which fit the page: the event leads to its record. */
export const deliverySummaryFields: readonly ViewField<ListedDelivery>[] = [
  { ...deliveryId, record: 'delivery' },
  { ...event, to: pathOfRecord },
  deliveryState,
  attempts,
  {
    title: 'delivery.response',
    kind: 'text',
    of: ({ lastStatusCode, lastError }) => lastStatusCode ?? lastError,
  },
  { title: 'delivery.last', kind: 'time', of: ({ lastAttemptAt }) => lastAttemptAt },
  nextAttempt,
];

export const deliveryListFields: readonly ViewField<ListedDelivery>[] = [
  ...deliverySummaryFields.slice(0, 2),
  about,
  endpoint,
  ...deliverySummaryFields.slice(2),
  createdAt,
];

export const deliveryFields: readonly ViewField<ListedDelivery>[] = [
  deliveryId,
  endpoint,
  { title: 'delivery.messageId', kind: 'code', of: ({ messageId }) => messageId },
  deliveryState,
  event,
  about,
  { title: 'delivery.round', kind: 'number', of: ({ round }) => round },
  attempts,
  createdAt,
  nextAttempt,
  { title: 'delivery.completed', kind: 'time', of: ({ completedAt }) => completedAt },
  { title: 'shared.erased', kind: 'time', of: ({ erasedAt }) => erasedAt },
];

export const attemptFields: readonly ViewField<ShownDelivery['log'][number]>[] = [
  { title: 'delivery.round', kind: 'number', of: ({ round }) => round },
  { title: 'delivery.attempt', kind: 'number', of: ({ attempt }) => attempt },
  { title: 'shared.started', kind: 'time', of: ({ startedAt }) => startedAt },
  url,
  { title: 'shared.took', kind: 'duration', of: ({ milliseconds }) => milliseconds },
  { title: 'shared.status', kind: 'number', of: ({ statusCode }) => statusCode },
  { title: 'delivery.error', kind: 'text', of: ({ error }) => error },
  { title: 'shared.response', kind: 'personal', of: ({ response }) => response },
];
