import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { Clock } from '../../core/configuration/clock.js';
import { DatabaseConnection } from '../../core/database/connection/database-connection.js';
import { withinDeadline } from '../../core/database/connection/database-errors.js';
import { RateLimitGuard } from '../../core/http/rate-limit/rate-limit.guard.js';
import { standardOutput } from '../../core/http/server/standard-output.js';
import { Metrics } from '../../core/observability/metrics.js';
import { ApiKeyAuthenticator } from '../../tenants/keys/api-key-authenticator.js';
import { AuthFailureLimiter } from '../../tenants/keys/auth-failure-limiter.js';
import type { Backlog } from '../../core/database/models/backlogs.js';
import { minuteMs } from '../../core/values/time.js';
import { PartnersService } from '../usage/partners.service.js';
import { WebhookStatsService } from '../../webhooks/statistics/webhook-stats.service.js';

const databaseTimeoutMs = 1_000;

export function addServiceMetrics(modules: ModuleRef): void {
  const get = <Part>(part: Type<Part>): Part => modules.get(part, { strict: false });
  get(DatabaseConnection).observe();
  const metrics = get(Metrics);
  const webhooks = get(WebhookStatsService);
  metrics.collect(
    'log_lines_dropped_total',
    'Log lines dropped because standard output was not read in time.',
    () => standardOutput.droppedLines,
  );
  addBacklog(metrics, () => webhooks.eventBacklog(), {
    outbox_lag_seconds: 'Age of the oldest event without a sequence number, in seconds.',
    outbox_waiting_events: 'Events without a sequence number, counted up to 10,000.',
  });
  addBacklog(metrics, () => webhooks.deliveryBacklog(), {
    delivery_lag_seconds: 'Seconds by which the oldest due delivery is late.',
    deliveries_due: 'Deliveries that are due, counted up to 10,000.',
  });
  const clock = get(Clock);
  addKeyMetrics(metrics, clock, () => get(PartnersService).attentionCounts());
  addEndpointMetrics(metrics, clock, webhooks);
  metrics.collect(
    'remembered_entries',
    'Cached API keys, unknown keys, rate-limited keys and failing clients; 10,000 of each at most.',
    () => [
      { labels: { kind: 'key' }, value: get(ApiKeyAuthenticator).stats().known },
      { labels: { kind: 'unknown key' }, value: get(ApiKeyAuthenticator).stats().unknown },
      { labels: { kind: 'limited key' }, value: get(RateLimitGuard).stats().keys },
      { labels: { kind: 'failing client' }, value: get(AuthFailureLimiter).stats().clients },
    ],
    ['kind'],
  );
}

/**
 * Reads the database at most once a minute. Returns nothing while it does not respond in time; a hanging read is not
 * repeated.
 */
function everyMinute<T>(clock: Clock, read: () => Promise<T>): () => Promise<readonly T[]> {
  let latest: { readonly at: number; readonly found: T } | undefined;
  let pending: Promise<T> | undefined;
  const readLatest = async () => {
    try {
      const at = clock.now().getTime();
      const found = await read();
      latest = { at, found };
      return found;
    } finally {
      pending = undefined;
    }
  };
  return async () => {
    // The system's clock may be set back, which must not keep an old result for longer.
    const ageMs = latest === undefined ? minuteMs : Math.abs(clock.now().getTime() - latest.at);
    if (latest !== undefined && ageMs < minuteMs) return [latest.found];
    pending ??= readLatest();
    return withinDeadline(pending, databaseTimeoutMs).then(
      (found) => [found],
      () => [],
    );
  };
}

export function addKeyMetrics(
  metrics: Metrics,
  clock: Clock,
  read: () => Promise<{ readonly silent: number; readonly expiring: number }>,
): void {
  const counts = everyMinute(clock, read);
  const countOf = async (name: 'silent' | 'expiring') =>
    (await counts()).map((found) => ({ labels: {}, value: found[name] }));
  metrics.collect(
    'silent_keys',
    'Keys that were used on five of the last seven days, but not for a day.',
    () => countOf('silent'),
  );
  metrics.collect(
    'expiring_keys',
    'Keys that were used in the last seven days and expire within 14.',
    () => countOf('expiring'),
  );
}

function addEndpointMetrics(metrics: Metrics, clock: Clock, webhooks: WebhookStatsService): void {
  const endpoints = everyMinute(clock, () => webhooks.longestFailing());
  metrics.collect(
    'endpoint_failing_seconds',
    'Seconds since the first failed attempt after the last success, of the 1,000 endpoints that have failed longest.',
    async () => {
      const now = clock.now().getTime();
      return (await endpoints()).flat().map(({ _id, failingSince }) => ({
        labels: { endpoint: _id.toHexString() },
        value: Math.max(0, now - failingSince.getTime()) / 1_000,
      }));
    },
    ['endpoint'],
  );
}

/**
 * Adds two metrics of a backlog: the age of its oldest item in seconds, and the number of items. Omits them while the
 * database does not respond in time; a hanging query is not repeated.
 */
export function addBacklog(
  metrics: Metrics,
  read: () => Promise<Backlog>,
  help: Readonly<Record<string, string>>,
): void {
  let pending: Promise<Backlog> | undefined;
  const inTime = async (): Promise<readonly Backlog[]> => {
    pending ??= read().finally(() => (pending = undefined));
    // Probes and the log already report an unavailable database.
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
