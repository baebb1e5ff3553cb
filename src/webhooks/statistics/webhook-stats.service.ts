import { Injectable, Logger } from '@nestjs/common';
import type { Document } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { Backlog } from '../../core/database/documents/tenant-queries.js';
import {
  type CrossTenantCollection,
  InjectCrossTenant,
} from '../../core/database/documents/cross-tenant-collection.js';
import { newestFirst } from '../../core/database/documents/keyset.js';
import { Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Metrics } from '../../core/observability/metrics.js';
import { hourMs, minuteMs } from '../../core/values/time.js';
import { pingType } from '../../events/outbox/event-types.js';
import { EventFeedsRepository } from '../../events/outbox/event-feeds.repository.js';
import { type AttemptResult, isSuccess } from '../deliveries/attempt-outcome.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import type { WebhookDeliveryDocument } from '../deliveries/webhook-delivery.schema.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { type EndpointView, endpointView } from '../endpoints/webhook-endpoints.service.js';
import { startOfQuarterHour, type WebhookStatsDocument } from './webhook-stats.schema.js';

export interface FailingEndpoint {
  readonly endpoint: EndpointView;
  readonly health: EndpointHealth;
}

export type EndpointHealth = Awaited<ReturnType<WebhookStatsService['health']>>;
export type HourlyStats = ReturnType<typeof hourlyStats>;

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

/** Further endpoints share the label `other`. */
const maxEndpoints = 1_000;
const maxCounted = 10_000;
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
    @InjectCrossTenant('WebhookStatistics')
    private readonly statistics: CrossTenantCollection<WebhookStatsDocument>,
    @InjectCrossTenant('WebhookEndpoint')
    private readonly endpoints: CrossTenantCollection<WebhookEndpointDocument>,
    @InjectCrossTenant('WebhookDelivery')
    private readonly deliveries: CrossTenantCollection<WebhookDeliveryDocument>,
    private readonly feeds: EventFeedsRepository,
    private readonly queue: DeliveryQueueRepository,
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
    return this.feeds.backlog();
  }

  async deliveryBacklog(): Promise<Backlog> {
    return this.queue.backlog(this.clock.now());
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
    const counted = { $inc: { delivered, failed, milliseconds } };
    await this.upsert(endpoint, counted).catch((error: unknown) => {
      const message = 'Could not store webhook statistics; these counts are lost';
      this.logger.warn({ err: error, endpointId: id }, message);
    });
  }

  async lastDay(endpoint: EndpointView): Promise<HourlyStats> {
    const now = this.clock.now();
    return hourlyStats(
      await this.quarterHoursSince(endpoint, firstHour(now, hoursOfDay)),
      now,
      hoursOfDay,
    );
  }

  /** Counts up to a limit, for a second at most. */
  async countPending(endpointId: Types.ObjectId, limit?: number): Promise<number> {
    const options = limit === undefined ? {} : { maxTimeMS: 1_000, limit };
    const pending = { status: 'pending', endpointId } as const;
    return this.deliveries.allTenants.countDocuments(pending, options);
  }

  /** Returns failing, faulty and auto-disabled endpoints of all organizations; the oldest failure comes first. */
  async failingEndpoints(limit: number): Promise<FailingEndpoint[]> {
    const isOn = { isEnabled: true, removedAt: null };
    const found = await this.endpoints.allTenants
      .find(
        {
          // The rest of the filter has no index. Endpoints are few, so the index of `_id` reads all of them.
          _id: { $exists: true },
          $or: [
            { ...isOn, failingSince: { $type: 'date' } },
            { ...isOn, fault: { $type: 'string' } },
            { ...isOn, eventTypes: { $exists: true, $not: { $type: 'array' } } },
            { isEnabled: false, removedAt: null, disabledReason: { $in: ['gone', 'failing'] } },
          ],
        },
        { sort: { failingSince: 1 }, limit, projection: { secrets: 0 } },
      )
      .toArray();
    const shown = found.map(endpointView);
    return Promise.all(
      shown.map(async (endpoint) => ({ endpoint, health: await this.health(endpoint) })),
    );
  }

  /** Returns the endpoint's last failure or, while it succeeds, that of a retried delivery. */
  async health(endpoint: EndpointView) {
    const { failingSince, disabledReason } = endpoint;
    const ids = idsOf(endpoint);
    const projection = { log: { $slice: -1 }, attempts: 1, createdAt: 1 } as const;
    // The delivery with the most failures has the latest next attempt.
    const retried = await this.deliveries.allTenants.findOne(
      { status: 'pending', endpointId: ids.endpointId, attempts: { $gt: 0 } },
      { projection, sort: { nextAttemptAt: -1 } },
    );
    const hasFailed = failingSince !== null || disabledReason === 'gone';
    const filter = { ...ids, status: 'failed', type: { $ne: pingType } } as const;
    const failed =
      hasFailed &&
      (await this.deliveries.allTenants.findOne(filter, { projection, sort: newestFirst }));
    const quarterHours =
      failingSince && (await this.quarterHoursSince(endpoint, startOfQuarterHour(failingSince)));
    const attempts = [retried, failed].flatMap((one) => (one ? one.log : []));
    const [lastFailure = null] = attempts.toSorted(
      (a, b) => Number(b.startedAt) - Number(a.startedAt),
    );
    return {
      lastFailure,
      /** Creation of the most retried delivery; null if none is retried. */
      retriedSince: retried?.createdAt ?? null,
      /** Failed attempts since the failures began. */
      failedAttempts: (quarterHours ?? []).reduce((sum, { failed: count = 0 }) => sum + count, 0),
    };
  }

  /** Keeps the maximum of each quarter of an hour. */
  async recordBacklogs(): Promise<void> {
    for (const endpoint of await this.queue.findPendingEndpoints()) {
      const backlog = await this.countPending(endpoint._id, maxCounted);
      await this.upsert(endpoint, { $max: { backlog } });
    }
  }

  private async upsert({ _id: endpointId, organizationId }: Endpoint, update: Document) {
    const now = this.clock.now();
    await this.statistics.allTenants.updateOne(
      { organizationId, endpointId, at: startOfQuarterHour(now) },
      { ...update, $set: { updatedAt: now }, $setOnInsert: { createdAt: now } },
      { upsert: true },
    );
  }

  private async quarterHoursSince(endpoint: EndpointView, since: Date) {
    const { organizationId, endpointId } = idsOf(endpoint);
    return this.statistics.find(organizationId, { endpointId, at: { $gte: since } });
  }
}

function idsOf({ _id, organizationId }: EndpointView) {
  return {
    organizationId: new Types.ObjectId(organizationId),
    endpointId: new Types.ObjectId(_id),
  };
}

/** Returns the oldest hour first; the last one is incomplete. `averageMs` is null without attempts. */
export function hourlyStats(
  quarterHours: readonly (Pick<WebhookStatsDocument, 'at'> & Partial<WebhookStatsDocument>)[],
  until: Date,
  hours: number,
) {
  const first = firstHour(until, hours).getTime();
  const byHour = Map.groupBy(quarterHours, ({ at }) => Math.floor((at.getTime() - first) / hourMs));
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
