import type { ModuleRef } from '@nestjs/core';
import { KeptParts } from '../../catalogue/responses/kept-parts.js';
import { KeptResponsesService } from '../../catalogue/responses/kept-responses.service.js';
import { withinDeadline } from '../../core/database/connection/deadline.js';
import { RequestRates } from '../../core/http/rate-limit/request-rates.js';
import { standardOutput } from '../../core/http/server/standard-output.js';
import { Metrics, type Sample } from '../../core/observability/metrics.js';
import { EventWaiters } from '../../events/feed/event-waiters.js';
import { ApiKeyAuthenticator } from '../../tenants/keys/api-key-authenticator.js';
import { AuthenticationFailures } from '../../tenants/keys/authentication-failures.js';
import { WebhookFiguresRecorder } from '../../webhooks/statistics/webhook-figures-recorder.js';
import {
  type Backlog,
  WebhookStatisticsService,
} from '../../webhooks/statistics/webhook-statistics.service.js';

/** How long a scrape waits for the database. */
const databaseTimeoutMs = 1_000;

/** Metrics of services that count for others too; they are read at each scrape. */
export function addServiceMetrics(modules: ModuleRef): void {
  const find = { strict: false } as const;
  const metrics = modules.get(Metrics, find);
  addWebhookMetrics(
    metrics,
    modules.get(WebhookStatisticsService, find),
    modules.get(WebhookFiguresRecorder, find),
  );
  addFeedMetrics(metrics, modules.get(EventWaiters, find));
  addCacheMetrics(metrics, modules.get(KeptResponsesService, find), modules.get(KeptParts, find));
  addRememberedEntries(metrics, modules);
  metrics.collect(
    'counter',
    'log_lines_dropped_total',
    'Lines of the log that nobody has read from standard output in time.',
    () => standardOutput.droppedLines,
  );
}

function addWebhookMetrics(
  metrics: Metrics,
  webhooks: WebhookStatisticsService,
  recorder: WebhookFiguresRecorder,
): void {
  addBacklog(metrics, () => webhooks.eventBacklog(), {
    outbox_lag_seconds: 'How long the oldest event waits for its deliveries and its number.',
    outbox_waiting_events: 'Events without a number, up to 10,000.',
  });
  addBacklog(metrics, () => webhooks.deliveryBacklog(), {
    delivery_lag_seconds: 'How long the delivery that is due longest waits for its attempt.',
    deliveries_due: 'Deliveries that are due, up to 10,000.',
  });
  metrics.collect(
    'counter',
    'delivery_attempts_total',
    'Attempts of this process to deliver a webhook, by endpoint and result.',
    () =>
      webhooks.attemptsByEndpoint().flatMap(({ endpointId: endpoint, delivered, failed }) => [
        { labels: { endpoint, result: 'delivered' }, value: delivered },
        { labels: { endpoint, result: 'failed' }, value: failed },
      ]),
    ['endpoint', 'result'],
  );
  metrics.collect(
    'gauge',
    'delivery_results_unstored',
    'Successful attempts of this process whose results are not stored yet; 256 at most.',
    () => webhooks.unstoredResults(),
  );
  metrics.collect(
    'gauge',
    'webhook_figures_waiting',
    'Counted figures of endpoints, by quarter of an hour, that are not stored; 2,000 at most.',
    () => recorder.stats().waiting,
  );
  metrics.collect(
    'counter',
    'webhook_figures_lost_attempts_total',
    'Attempts that the figures of endpoints lack: not stored, or no room to count them.',
    () => recorder.stats().lostAttempts,
  );
  metrics.collect(
    'counter',
    'events_numbered_total',
    'Events that this process has given their numbers.',
    () => webhooks.numberedEvents(),
  );
}

/**
 * A backlog of the database, the same in every process. It is left out while the database does not
 * answer in time, and a question that hangs is not asked again.
 */
export function addBacklog(
  metrics: Metrics,
  read: () => Promise<Backlog>,
  help: Readonly<Record<string, string>>,
): void {
  let pending: Promise<Backlog> | undefined;
  const samples = async (value: (backlog: Backlog) => number): Promise<readonly Sample[]> => {
    pending ??= read().finally(() => (pending = undefined));
    try {
      const backlog = await withinDeadline(pending, databaseTimeoutMs);
      return [{ labels: {}, value: value(backlog) }];
    } catch {
      // The probes and the log report a database in trouble.
      return [];
    }
  };
  for (const [name, text] of Object.entries(help)) {
    const isLag = name.endsWith('_seconds');
    metrics.collect('gauge', name, text, () =>
      samples(({ lagMs, count }) => (isLag ? lagMs / 1_000 : count)),
    );
  }
}

function addFeedMetrics(metrics: Metrics, waiters: EventWaiters): void {
  metrics.collect(
    'gauge',
    'event_requests_waiting',
    'Requests that wait for events in this process; 5,000 at most.',
    () => waiters.stats().waiting,
  );
  metrics.collect(
    'counter',
    'event_waits_cut_short_total',
    'Requests whose wait for events ended early because too many were waiting.',
    () => waiters.stats().cutShort,
  );
}

function addCacheMetrics(
  metrics: Metrics,
  responses: KeptResponsesService,
  parts: KeptParts,
): void {
  const figures = [
    ['counter', 'hits_total', 'Responses that were repeated.', 'hits'],
    ['counter', 'misses_total', 'Responses that had to be made.', 'misses'],
    ['counter', 'evictions_total', 'Responses that were dropped for room.', 'evictions'],
    ['gauge', 'entries', 'Responses that are kept.', 'entries'],
    ['gauge', 'bytes', 'How much is kept, of RESPONSE_CACHE_BYTES.', 'bytes'],
  ] as const;
  for (const [type, name, help, figure] of figures) {
    metrics.collect(type, `response_cache_${name}`, help, () => responses.stats()[figure]);
  }
  metrics.collect(
    'gauge',
    'kept_parts_bytes',
    'Counts and documents that responses share, of at most 16 MiB.',
    () => parts.stats().bytes,
  );
}

function addRememberedEntries(metrics: Metrics, modules: ModuleRef): void {
  const find = { strict: false } as const;
  const keys = modules.get(ApiKeyAuthenticator, find);
  const failures = modules.get(AuthenticationFailures, find);
  const rates = modules.get(RequestRates, find);
  metrics.collect(
    'gauge',
    'remembered_entries',
    'API keys, unknown keys, limited keys and failing clients that are remembered; 10,000 of each at most.',
    () => [
      { labels: { kind: 'key' }, value: keys.stats().known },
      { labels: { kind: 'unknown key' }, value: keys.stats().unknown },
      { labels: { kind: 'limited key' }, value: rates.stats().keys },
      { labels: { kind: 'failing client' }, value: failures.stats().clients },
    ],
    ['kind'],
  );
}
