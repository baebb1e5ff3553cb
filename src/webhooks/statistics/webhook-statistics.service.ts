import { Injectable, Logger } from '@nestjs/common';
import type { Document } from 'mongodb';
import { Types } from 'mongoose';
import { Counter } from 'prom-client';
import { Clock } from '../../core/configuration/clock.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Metrics } from '../../core/observability/metrics.js';
import { hourMs, minuteMs } from '../../core/values/time.js';
import {
  OutboxEventsRepository,
  type BacklogCount,
} from '../../events/outbox/outbox-events.repository.js';
import { type AttemptResult, isSuccess } from '../deliveries/delivery-outcome.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { WebhookDeliveriesService } from '../deliveries/webhook-deliveries.service.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { startOfQuarter, type WebhookStatisticsDocument } from './webhook-statistics.schema.js';

export interface Backlog {
  /** How long the oldest one is due, in milliseconds. */
  readonly lagMs: number;
  readonly count: number;
}

export type HourlyStats = ReturnType<typeof hourlyStats>;

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

/** Endpoints with a metric of their own; further ones share the label `other`. */
const maxEndpoints = 1_000;
const maxCounted = 10_000;
const backlogIntervalMs = minuteMs;
const hoursOfDay = 24;

/** Statistics of webhooks for the operator (rule OPS-35); one process of all records the backlogs of endpoints. */
@Injectable()
export class WebhookStatisticsService {
  private readonly logger = new Logger(WebhookStatisticsService.name);
  private readonly lease: Lease;
  private readonly loop = new PollingLoop(
    'Could not record backlogs of webhooks; trying again in a minute',
    async () => {
      if (await this.lease.acquire()) await this.recordBacklogs();
    },
    () => backlogIntervalMs,
  );
  readonly attempts = { delivered: 0, failed: 0 };
  private readonly attemptCounter: Counter<'endpoint' | 'result'>;
  private readonly countedEndpoints = new Set<string>();

  constructor(
    @InjectAcrossTenants('WebhookStatistics')
    private readonly statistics: CollectionAcrossTenants<WebhookStatisticsDocument>,
    private readonly events: OutboxEventsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly clock: Clock,
    metrics: Metrics,
    leases: Leases,
  ) {
    this.lease = leases.of('webhook-backlogs', 4 * backlogIntervalMs);
    this.attemptCounter = new Counter(
      metrics.options(
        'delivery_attempts_total',
        'Attempts of this process to deliver a webhook, by endpoint and result.',
        ['endpoint', 'result'],
      ),
    );
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    // If the release fails, the lease expires.
    await this.lease.release().catch(() => undefined);
  }

  /** The events without a number, and so without deliveries. */
  async eventBacklog(): Promise<Backlog> {
    return this.backlog(await this.events.waiting(maxCounted));
  }

  async deliveryBacklog(): Promise<Backlog> {
    return this.backlog(await this.queue.due(this.clock.now(), maxCounted));
  }

  /** Counts attempts. Counts that cannot be stored are lost: a retry could count twice. */
  async add(endpoint: Endpoint, results: readonly AttemptResult[]): Promise<void> {
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
    const counted = { $inc: { delivered, failed, milliseconds } };
    await this.upsert(endpoint, counted).catch((error: unknown) => {
      const message = 'Could not store statistics of webhooks';
      this.logger.warn({ err: error, endpointId: id }, message);
    });
  }

  /** The attempts of endpoints hour by hour, by their ids. */
  async lastDay(
    endpoints: readonly { readonly _id: string; readonly organizationId: string }[],
  ): Promise<ReadonlyMap<string, HourlyStats>> {
    if (endpoints.length === 0) return new Map();
    const now = this.clock.now();
    const ids = endpoints.map(({ _id }) => new Types.ObjectId(_id));
    const organizationIds = endpoints.map(
      (endpoint) => new Types.ObjectId(endpoint.organizationId),
    );
    const at = { $gte: firstHour(now, hoursOfDay) };
    const found = await this.statistics.find(organizationIds, { endpointId: { $in: ids }, at });
    const byEndpoint = Map.groupBy(found, ({ endpointId }) => endpointId.toHexString());
    return new Map(
      endpoints.map(({ _id }) => [_id, hourlyStats(byEndpoint.get(_id) ?? [], now, hoursOfDay)]),
    );
  }

  /** Records how many deliveries of each endpoint are pending; the maximum of a quarter is kept. */
  async recordBacklogs(): Promise<void> {
    for (const endpoint of await this.queue.endpointsWaiting()) {
      const backlog = await this.deliveries.countWaiting(endpoint._id, maxCounted);
      await this.upsert(endpoint, { $max: { backlog } });
    }
  }

  private async upsert({ _id: endpointId, organizationId }: Endpoint, update: Document) {
    const now = this.clock.now();
    await this.statistics.acrossTenants.updateOne(
      { organizationId, endpointId, at: startOfQuarter(now) },
      { ...update, $set: { updatedAt: now }, $setOnInsert: { createdAt: now } },
      { upsert: true },
    );
  }

  private backlog({ oldest, count }: BacklogCount): Backlog {
    const lagMs = oldest === null ? 0 : this.clock.now().getTime() - oldest.getTime();
    return { lagMs: Math.max(0, lagMs), count };
  }
}

/** The hours up to a time, oldest first; the last one is not over, and `averageMs` is null without attempts. */
export function hourlyStats(
  quarters: readonly (Pick<WebhookStatisticsDocument, 'at'> & Partial<WebhookStatisticsDocument>)[],
  until: Date,
  hours: number,
) {
  const first = firstHour(until, hours).getTime();
  const byHour = Map.groupBy(quarters, ({ at }) => Math.floor((at.getTime() - first) / hourMs));
  return Array.from({ length: hours }, (_, hour) => {
    const parts = byHour.get(hour) ?? [];
    const sum = (field: 'delivered' | 'failed' | 'milliseconds') =>
      parts.reduce((total, part) => total + (part[field] ?? 0), 0);
    const [delivered, failed] = [sum('delivered'), sum('failed')];
    const attempts = delivered + failed;
    return {
      delivered,
      failed,
      averageMs: attempts === 0 ? null : sum('milliseconds') / attempts,
      backlog: Math.max(0, ...parts.map(({ backlog = 0 }) => backlog)),
    };
  });
}

function firstHour(until: Date, hours: number): Date {
  return new Date((Math.floor(until.getTime() / hourMs) - hours + 1) * hourMs);
}
