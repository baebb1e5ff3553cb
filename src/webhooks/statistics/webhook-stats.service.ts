import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { Backlog } from '../../core/database/models/backlogs.js';
import { Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Metrics } from '../../core/observability/metrics.js';
import { dayMs, hourMs, minuteMs } from '../../core/values/time.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { type AttemptResult, isSuccess } from '../deliveries/attempt-outcome.js';
import { WebhookDeliveriesRepository } from '../deliveries/webhook-deliveries.repository.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { type EndpointState, endpointState } from '../endpoints/endpoint-state.js';
import {
  maxCountedDeliveries,
  WebhookEndpointsRepository,
} from '../endpoints/webhook-endpoints.repository.js';
import { type EndpointView, endpointView } from '../endpoints/webhook-endpoints.service.js';
import {
  type AttemptPoint,
  type SeriesUnit,
  WebhookStatsRepository,
} from './webhook-stats.repository.js';
import { startOfQuarterHour } from './webhook-stats.schema.js';

export interface FailingEndpoint extends EndpointView {
  readonly state: EndpointState;
}

export type EndpointHealth = Awaited<ReturnType<WebhookStatsService['health']>>;
export type HourlyStats = Awaited<ReturnType<WebhookStatsService['lastDay']>>;

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

/** Further endpoints share the label `other`. */
const maxEndpoints = 1_000;
const backlogIntervalMs = minuteMs;
const hoursOfDay = 24;

/** Only the process with the lease records backlogs (rule OPS-35). */
@Injectable()
export class WebhookStatsService {
  private readonly logger = new Logger(WebhookStatsService.name);
  readonly backlogLoop: PollingLoop;
  readonly attempts = { delivered: 0, failed: 0 };
  private readonly attemptCounter;
  private readonly countedEndpoints = new Set<string>();

  constructor(
    private readonly statistics: WebhookStatsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly events: OutboxEventsRepository,
    private readonly clock: Clock,
    metrics: Metrics,
    leases: Leases,
  ) {
    this.backlogLoop = new PollingLoop(
      'Could not record backlogs of webhooks; retrying in a minute',
      () => this.recordBacklogs(),
      () => backlogIntervalMs,
      leases.create('webhook-backlogs', 4 * backlogIntervalMs),
    );
    this.attemptCounter = metrics.counter(
      'delivery_attempts_total',
      'Webhook attempts of this process, by endpoint and result.',
      ['endpoint', 'result'],
    );
  }

  async eventBacklog(): Promise<Backlog> {
    return this.events.backlog();
  }

  async deliveryBacklog(): Promise<Backlog> {
    return this.deliveries.backlog(this.clock.now());
  }

  /** Counts that cannot be stored are lost: a retry could count twice. */
  async addResults(endpoint: Endpoint, results: readonly AttemptResult[]): Promise<void> {
    if (results.length === 0) return;
    const delivered = results.filter(isSuccess).length;
    const failed = results.length - delivered;
    const milliseconds = results.reduce((sum, result) => sum + result.milliseconds, 0);
    this.attempts.delivered += delivered;
    this.attempts.failed += failed;
    const id = endpoint._id.toHexString();
    if (this.countedEndpoints.size < maxEndpoints) this.countedEndpoints.add(id);
    const label = this.countedEndpoints.has(id) ? id : 'other';
    this.attemptCounter.inc({ endpoint: label, result: 'delivered' }, delivered);
    this.attemptCounter.inc({ endpoint: label, result: 'failed' }, failed);
    const $inc = { delivered, failed, milliseconds };
    await this.statistics.update(endpoint, { $inc }).catch((error: unknown) => {
      const message = 'Could not store webhook statistics; these counts are lost';
      this.logger.warn({ err: error, endpointId: id }, message);
    });
  }

  /** Returns the oldest hour first; the last one is incomplete. `averageMs` is null without attempts. */
  async lastDay(endpoint: EndpointView) {
    const currentHour = Math.floor(this.clock.now().getTime() / hourMs) * hourMs;
    const since = new Date(currentHour - (hoursOfDay - 1) * hourMs);
    const stored = await this.statistics.hoursSince(idsOf(endpoint), since);
    const byHour = new Map(stored.map((counts) => [counts._id.getTime(), counts]));
    return Array.from({ length: hoursOfDay }, (_, hour) => {
      const counts = byHour.get(since.getTime() + hour * hourMs);
      const { delivered = 0, failed = 0, milliseconds = 0, backlog } = counts ?? {};
      const attempts = delivered + failed;
      const averageMs = attempts === 0 ? null : milliseconds / attempts;
      return { delivered, failed, averageMs, backlog: backlog ?? 0 };
    });
  }

  /** Counts up to a limit, for a second at most. */
  async countPending(endpointId: Types.ObjectId, limit?: number): Promise<number> {
    return this.deliveries.countPending(endpointId, limit);
  }

  /** Returns failing, faulty and auto-disabled endpoints of all organizations; the oldest failure comes first. */
  async failingEndpoints(limit: number): Promise<FailingEndpoint[]> {
    const shown = (await this.endpoints.findFailing(limit)).map(endpointView);
    const now = this.clock.now();
    return shown.map((endpoint) => ({ ...endpoint, state: endpointState(endpoint, now) }));
  }

  /** Returns the oldest point first, of one or all endpoints; points without attempts are missing. */
  async attemptSeries(
    { since, unit }: { readonly since: Date; readonly unit: SeriesUnit },
    endpoint?: Endpoint,
  ): Promise<AttemptPoint[]> {
    return this.statistics.series(since, unit, endpoint);
  }

  /** Costs three commands. Its counts agree with lists of deliveries by status, and with `sendAll`. */
  async summaryOf(endpoint: WebhookEndpointDocument) {
    const now = this.clock.now();
    const dayAgo = startOfQuarterHour(new Date(now.getTime() - dayMs));
    const limit = maxCountedDeliveries + 1;
    const [pending, failed, counts] = await Promise.all([
      this.deliveries.pendingCounts(endpoint._id, limit),
      this.deliveries.countFailed(endpoint, limit),
      this.statistics.countsSince([endpoint], dayAgo),
    ]);
    const view = endpointView(endpoint);
    const { failingSince, failedAttempts, lastFailure, lastSuccessAt, pausedUntil } = view;
    const day = counts.get(view._id);
    const times = [pending.nextAttemptAt, pausedUntil].flatMap((time) => time?.getTime() ?? []);
    return {
      state: endpointState(view, now),
      waiting: Math.min(pending.count, maxCountedDeliveries),
      hasMoreWaiting: pending.count > maxCountedDeliveries,
      failed: Math.min(failed, maxCountedDeliveries),
      hasMoreFailed: failed > maxCountedDeliveries,
      delivered24h: day?.delivered ?? 0,
      failed24h: day?.failed ?? 0,
      failingSince,
      /** Failed attempts since `failingSince`. */
      failedAttemptsSince: failedAttempts,
      lastFailure,
      lastSuccessAt,
      /** Creation of the oldest pending delivery. */
      oldestWaitingAt: pending.oldestAt,
      /** Later than the end of a pause; null if nothing waits. */
      nextAttemptAt: pending.nextAttemptAt && new Date(Math.max(...times)),
    };
  }

  /** Returns the endpoint's last failure or, while it succeeds, that of a retried delivery. */
  async health(endpoint: EndpointView) {
    const { failingSince, disabledReason } = endpoint;
    const ids = idsOf(endpoint);
    const retried = await this.deliveries.findMostRetried(ids._id);
    const hasFailed = failingSince !== null || disabledReason === 'gone';
    const failed = hasFailed && (await this.deliveries.findLastFailed(ids));
    const hours =
      failingSince && (await this.statistics.hoursSince(ids, startOfQuarterHour(failingSince)));
    const attempts = [retried, failed].flatMap((one) => (one ? one.log : []));
    const [lastFailure = null] = attempts.toSorted(
      (a, b) => Number(b.startedAt) - Number(a.startedAt),
    );
    return {
      lastFailure,
      /** Creation of the most retried delivery; null if none is retried. */
      retriedSince: retried?.createdAt ?? null,
      /** Failed attempts since the failures began. */
      failedAttempts: (hours ?? []).reduce((sum, { failed: count }) => sum + count, 0),
    };
  }

  /** Keeps the maximum of each quarter of an hour. */
  async recordBacklogs(): Promise<void> {
    for (const endpoint of await this.deliveries.findPendingEndpoints()) {
      const backlog = await this.countPending(endpoint._id, maxCountedDeliveries);
      await this.statistics.update(endpoint, { $max: { backlog } });
    }
  }
}

function idsOf({ _id, organizationId }: EndpointView) {
  return {
    organizationId: new Types.ObjectId(organizationId),
    _id: new Types.ObjectId(_id),
  };
}
