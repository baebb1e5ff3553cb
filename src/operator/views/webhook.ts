import type {
  ListedDelivery,
  DeliveryDetails,
} from '../../webhooks/deliveries/webhook-deliveries.service.js';
import type { EndpointSummary } from '../../webhooks/statistics/webhook-stats.service.js';
import type { DeliveryCounts } from '../../webhooks/endpoints/webhook-endpoints.repository.js';
import type {
  EndpointView,
  EndpointWithStats,
} from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { createdAtField, idField, organizationField, updatedAtField } from './common.js';
import { describeEndpoint, endpointStateField } from './endpoint-state.js';
import { eventPath, field, type Severity, type ViewField } from './view-field.js';

/** The console adds the name of the organization. */
type Endpoint = Omit<EndpointView, 'isRemoved'> & {
  readonly organizationName?: string | undefined;
};

const severities: Readonly<Record<ListedDelivery['status'], Severity>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
};
const url = field('url', 'URL', 'url');
const eventTypes = field('code', 'Events', 'eventTypes');

const waiting: ViewField<DeliveryCounts> = field('code', 'Waiting', (counts) =>
  countText(counts.waiting, counts.hasMoreWaiting),
);
const failed: ViewField<DeliveryCounts> = field('code', 'Failed', (counts) =>
  countText(counts.failed, counts.hasMoreFailed),
);
/** Deliveries that are not delivered. */
export const endpointBacklogFields: readonly ViewField<DeliveryCounts>[] = [waiting, failed];
const lastSuccess = field('time', 'Last success', 'lastSuccessAt');

export const endpointListFields: readonly ViewField<EndpointWithStats>[] = [
  idField,
  url,
  eventTypes,
  field('status', 'State', (endpoint) => describeEndpoint(endpoint).name),
  waiting,
  failed,
  lastSuccess,
];

export const endpointFields: readonly ViewField<Endpoint>[] = [
  idField,
  organizationField,
  url,
  eventTypes,
  endpointStateField,
  field('time', 'Since', (endpoint) => describeEndpoint(endpoint).since),
  field('number', 'Failed attempts', 'failedAttempts'),
  field('time', 'Last failure', ({ lastFailure }) => lastFailure?.at, {
    note: ({ lastFailure }) => lastFailure && (lastFailure.statusCode ?? lastFailure.error),
  }),
  lastSuccess,
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
];

export const endpointCountFields: readonly ViewField<EndpointSummary>[] = [
  waiting,
  failed,
  field('number', 'Delivered in 24 h', 'delivered24h'),
  field('number', 'Failed attempts in 24 h', 'failed24h'),
  field('time', 'Oldest waiting', 'oldestWaitingAt'),
  field('time', 'Next attempt', 'nextAttemptAt'),
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
