import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../../observability/metrics.js';
import type { CompletedRequest } from './request-log.js';
import { routeOptionsOf } from '../requests/route-options.js';

/** Upper bounds in seconds; a request that waits for the database gets its 503 after 8. */
export const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Long polls wait for at most 25 s. */
const longPollBounds = [0.1, 0.5, 1, 2.5, 5, 10, 15, 20, 25, 30, 40];

/** No label names a key: usage by key is in the database (rule OPS-32). */
export function addRequestMetrics(fastify: FastifyInstance, metrics: Metrics): void {
  const counted = requestMetrics(metrics);
  fastify.completedRequestListeners.push((completed, request) => {
    const { method, route, milliseconds } = completed;
    const status = String(completed.status);
    const seconds = milliseconds / 1_000;
    if (isLongPoll(request)) counted.longPolls.observe({ route, status }, seconds);
    else counted.durations.observe({ method, route, status }, seconds);
    if (completed.aborted === true) counted.aborted.inc();
    countCauses(counted, completed);
  });
}

function countCauses(
  { errors, ignored, notices }: ReturnType<typeof requestMetrics>,
  completed: CompletedRequest,
): void {
  for (const code of completed.errorCodes ?? []) errors.inc({ code });
  if (completed.ignoredFields) ignored.inc({ route: completed.route });
  for (const code of completed.notices ?? []) notices.inc({ code });
}

function requestMetrics(metrics: Metrics) {
  return {
    durations: metrics.histogram(
      'http_request_duration_seconds',
      'Time from the arrival of a request to the end of its response, excluding long polls.',
      durationBounds,
      ['method', 'route', 'status'],
    ),
    longPolls: metrics.histogram(
      'long_poll_duration_seconds',
      'Duration of requests that wait for events.',
      longPollBounds,
      ['route', 'status'],
    ),
    aborted: metrics.counter(
      'http_requests_aborted_total',
      'Requests whose client disconnected before the end of the response.',
    ),
    errors: metrics.counter(
      'request_errors_total',
      'Requests that were refused or failed, by error code.',
      ['code'],
    ),
    ignored: metrics.counter(
      'request_ignored_fields_total',
      'Requests with ignored fields or parameters, by route.',
      ['route'],
    ),
    notices: metrics.counter(
      'request_notices_total',
      'Accepted requests that had less effect than sent, by code.',
      ['code'],
    ),
  };
}

/** A long poll's duration says nothing about the speed of the service. */
export function isLongPoll(request: FastifyRequest): boolean {
  if (routeOptionsOf(request).maxWaitMs === undefined) return false;
  const { wait } = request.query as Readonly<Record<string, unknown>>;
  return Number(wait) > 0;
}
