import type {
  ListedDelivery,
  ShownDelivery,
} from '../../webhooks/deliveries/webhook-deliveries.service.js';
import type { EndpointHealth } from '../../webhooks/statistics/failing-endpoints.service.js';
import type { ShownEndpoint } from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { createdAt, id, updatedAt } from './common.js';
import { eventPath, type ViewField, type Severity } from './field.js';
import type { ViewText } from './texts.js';

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
const reasons: Readonly<Record<string, ViewText>> = {
  operator: 'endpoint.reason.operator',
  gone: 'endpoint.reason.gone',
  failing: 'endpoint.reason.failing',
  removed: 'endpoint.reason.removed',
};

const url = { title: 'endpoint.url', kind: 'url', of: (item) => item.url } satisfies ViewField<{
  readonly url: string;
}>;
const eventTypes = {
  title: 'shared.events',
  kind: 'code',
  of: (endpoint) => endpoint.eventTypes,
} satisfies ViewField<Pick<ShownEndpoint, 'eventTypes'>>;
type EndpointState = 'givenUp' | 'paused' | 'failing' | 'retried' | 'healthy';

const stateSeverities: Readonly<Record<EndpointState, Severity>> = {
  givenUp: 'bad',
  failing: 'bad',
  retried: 'warn',
  paused: 'warn',
  healthy: 'good',
};

function stateOf({ isEnabled, disabledReason, fault, health, ...times }: Endpoint): EndpointState {
  if (!isEnabled) return ['gone', 'failing'].includes(disabledReason ?? '') ? 'givenUp' : 'paused';
  if (fault !== null) return 'failing';
  if (isAhead(times.pausedUntil)) return 'paused';
  if (times.failingSince !== null) return 'failing';
  return health?.retriedSince ? 'retried' : 'healthy';
}

function isAhead(time: Date | null): boolean {
  return time !== null && time > new Date();
}

function reasonOf(endpoint: Endpoint): string | number | null {
  const { isEnabled, disabledReason, fault, pausedUntil, health } = endpoint;
  if (!isEnabled) return reasons[disabledReason ?? ''] ?? disabledReason;
  if (fault !== null) return fault;
  if (isAhead(pausedUntil)) return 'endpoint.reason.asked';
  const { statusCode = null, error = null } = health?.lastFailure ?? {};
  return stateOf(endpoint) === 'healthy' ? null : (statusCode ?? error);
}

const endpointState: ViewField<Endpoint> = {
  title: 'shared.state',
  kind: 'status',
  of: (endpoint) => `endpoint.${stateOf(endpoint)}` as const,
  note: reasonOf,
  severity: (endpoint) => stateSeverities[stateOf(endpoint)],
};
const stateSince: ViewField<Endpoint> = {
  title: 'endpoint.stateSince',
  kind: 'time',
  of: (endpoint) => {
    const { updatedAt: changedAt, failingSince: failing, health } = endpoint;
    const since = {
      givenUp: changedAt,
      paused: endpoint.isEnabled ? (health?.lastFailure?.startedAt ?? failing) : changedAt,
      failing,
      retried: health?.retriedSince,
      healthy: null,
    };
    return since[stateOf(endpoint)];
  },
};
const organization: ViewField<Endpoint> = {
  title: 'shared.organization',
  kind: 'text',
  of: ({ organizationId, organizationName }) => organizationName ?? organizationId,
};
const failingSince: ViewField<Endpoint> = {
  title: 'endpoint.failingSince',
  kind: 'time',
  of: (endpoint) => endpoint.failingSince,
};

export const newEndpointFields = [id, url, eventTypes];

export const endpointListFields: readonly ViewField<Endpoint>[] = [
  ...newEndpointFields,
  endpointState,
  failingSince,
  createdAt,
];

/** In the list of the console, next to charts. */
export const endpointSummaryFields: readonly ViewField<Endpoint>[] = [
  { ...url, to: ({ _id }: Endpoint) => `/webhooks/${_id}` },
  organization,
  endpointState,
  stateSince,
];

export const endpointFields: readonly ViewField<Endpoint>[] = [
  id,
  organization,
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
  { ...deliveryId, to: ({ _id }) => `/webhooks/deliveries/${_id.toHexString()}` },
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
  ...deliverySummaryFields.slice(2),
  createdAt,
];

export const deliveryFields: readonly ViewField<ListedDelivery>[] = [
  deliveryId,
  {
    title: 'endpoint.title',
    kind: 'code',
    of: ({ endpointId }) => endpointId.toHexString(),
    to: ({ endpointId }) => `/webhooks/${endpointId.toHexString()}`,
  },
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
