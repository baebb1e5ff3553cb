import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import type { Backlog } from '../../core/database/models/backlogs.js';
import { Metrics } from '../../core/observability/metrics.js';
import { dayMs } from '../../core/values/time.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { type AttemptResult, isSuccess } from '../deliveries/attempt-outcome.js';
import { WebhookDeliveriesRepository } from '../deliveries/webhook-deliveries.repository.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { type EndpointState, endpointState } from '../endpoints/endpoint-state.js';
import {
  maxCountedDeliveries,
  WebhookEndpointsRepository,
  type FailingSince,
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

export type EndpointSummary = Awaited<ReturnType<WebhookStatsService['summaryOf']>>;

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

/** Limits the values of the label `endpoint`. */
const maxEndpoints = 1_000;

@Injectable()
export class WebhookStatsService {
  private readonly logger = new Logger(WebhookStatsService.name);
  private readonly attemptCounter;
  private readonly countedEndpoints = new Set<string>();

  constructor(
    private readonly statistics: WebhookStatsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly events: OutboxEventsRepository,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
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
    const id = endpoint._id.toHexString();
    if (this.countedEndpoints.size < maxEndpoints) this.countedEndpoints.add(id);
    const label = this.countedEndpoints.has(id) ? id : 'other';
    this.attemptCounter.inc({ endpoint: label, result: 'delivered' }, delivered);
    this.attemptCounter.inc({ endpoint: label, result: 'failed' }, failed);
    await this.statistics.add(endpoint, { delivered, failed }).catch((error: unknown) => {
      const message = 'Could not store webhook statistics; these counts are lost';
      this.logger.warn({ err: error, endpointId: id }, message);
    });
  }

  /** Returns failing, faulty and auto-disabled endpoints of all organizations; the oldest failure comes first. */
  async failingEndpoints(limit: number): Promise<FailingEndpoint[]> {
    const shown = (await this.endpoints.findFailing(limit)).map(endpointView);
    const now = this.clock.now();
    return shown.map((endpoint) => ({ ...endpoint, state: endpointState(endpoint, now) }));
  }

  /** Omits disabled endpoints, but not those whose receiver asked for a pause. The oldest failure comes first. */
  async longestFailing(): Promise<FailingSince[]> {
    return this.endpoints.findFailingSince(maxEndpoints);
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
}
