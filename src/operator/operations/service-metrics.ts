import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { withinDeadline } from '../../core/database/connection/database-errors.js';
import { RequestRates } from '../../core/http/rate-limit/request-rates.js';
import { standardOutput } from '../../core/http/server/standard-output.js';
import { Metrics } from '../../core/observability/metrics.js';
import { ApiKeyAuthenticator } from '../../tenants/keys/api-key-authenticator.js';
import { AuthenticationFailures } from '../../tenants/keys/authentication-failures.js';
import {
  type Backlog,
  WebhookStatisticsService,
} from '../../webhooks/statistics/webhook-statistics.service.js';
import { RequestRecorder } from '../requests/request-recorder.js';
import { UsageCounter } from '../usage/usage-counter.js';

const databaseTimeoutMs = 1_000;

type Get = <Part>(part: Type<Part>) => Part;

const values: Readonly<Record<string, readonly [help: string, read: (get: Get) => number]>> = {
  log_lines_dropped_total: [
    'Lines of the log that nobody has read from standard output in time.',
    () => standardOutput.droppedLines,
  ],
  request_log_lost_total: [
    'Requests that were to be logged and were not: the database was out of reach, or there were too many at once.',
    (get) => get(RequestRecorder).stats().lost,
  ],
  request_log_waiting: [
    'Requests to be logged that are not stored yet; 2,000 at most.',
    (get) => get(RequestRecorder).stats().waiting,
  ],
  usage_lost_calls_total: [
    'Calls that were not counted: a database out of reach has left no room.',
    (get) => get(UsageCounter).stats().lostCalls,
  ],
  usage_waiting_minutes: [
    'How many minutes counted calls have waited to be stored.',
    (get) => get(UsageCounter).stats().waitingMinutes,
  ],
};

export function addServiceMetrics(modules: ModuleRef): void {
  const get: Get = (part) => modules.get(part, { strict: false });
  const metrics = get(Metrics);
  const webhooks = get(WebhookStatisticsService);
  for (const [name, [help, read]] of Object.entries(values)) {
    metrics.collect(name, help, () => read(get));
  }
  addBacklog(metrics, () => webhooks.eventBacklog(), {
    outbox_lag_seconds: 'How long the oldest event waits for its deliveries and its number.',
    outbox_waiting_events: 'Events without a number, up to 10,000.',
  });
  addBacklog(metrics, () => webhooks.deliveryBacklog(), {
    delivery_lag_seconds: 'How long the delivery that is due longest waits for its attempt.',
    deliveries_due: 'Deliveries that are due, up to 10,000.',
  });
  metrics.collect(
    'remembered_entries',
    'API keys, unknown keys, limited keys and failing clients that are remembered; 10,000 of each at most.',
    () => [
      { labels: { kind: 'key' }, value: get(ApiKeyAuthenticator).stats().known },
      { labels: { kind: 'unknown key' }, value: get(ApiKeyAuthenticator).stats().unknown },
      { labels: { kind: 'limited key' }, value: get(RequestRates).stats().keys },
      { labels: { kind: 'failing client' }, value: get(AuthenticationFailures).stats().clients },
    ],
    ['kind'],
  );
}

/**
 * Adds metrics of a backlog: `_seconds` for the age of the oldest item, else the number of items. They are left out
 * while the database does not respond in time, and a query that hangs is not sent again.
 */
export function addBacklog(
  metrics: Metrics,
  read: () => Promise<Backlog>,
  help: Readonly<Record<string, string>>,
): void {
  let pending: Promise<Backlog> | undefined;
  const inTime = async (): Promise<readonly Backlog[]> => {
    pending ??= read().finally(() => (pending = undefined));
    // Probes and log report an unavailable database.
    return withinDeadline(pending, databaseTimeoutMs).then(
      (found) => [found],
      () => [],
    );
  };
  for (const [name, text] of Object.entries(help)) {
    const isLag = name.endsWith('_seconds');
    metrics.collect(name, text, async () => {
      const backlogs = await inTime();
      return backlogs.map(({ lagMs, count }) => ({
        labels: {},
        value: isLag ? lagMs / 1_000 : count,
      }));
    });
  }
}
