import { Injectable } from '@nestjs/common';
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
import { hourMs, minuteMs } from '../../core/values/durations.js';
import {
  OutboxEventsRepository,
  type Waiting,
} from '../../events/outbox/outbox-events.repository.js';
import { type AttemptResult, isSuccess } from '../deliveries/delivery-outcome.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { startOfQuarter, type WebhookStatisticsDocument } from './webhook-statistics.schema.js';

/** The waiting records of all organizations. */
export interface Backlog {
  /** How long the one that is due longest waits, in milliseconds; 0 when nothing waits. */
  readonly lagMs: number;
  /** How many wait, up to 10,000. */
  readonly count: number;
}

/** The deliveries to an endpoint in an hour. */
export interface HourlyWebhookStats {
  readonly delivered: number;
  readonly failed: number;
  /** Of an attempt; null when there was none. */
  readonly averageMs: number | null;
  /** Most that were seen waiting. */
  readonly backlog: number;
}

/** The deliveries to an endpoint hour by hour, oldest first; the last hour is under way. */
export interface EndpointStatistics {
  readonly hours: readonly HourlyWebhookStats[];
}

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

/** How many endpoints are counted one by one; further ones count together. */
const endpointsLimit = 1_000;
/** At most so many are counted: beyond that the number says no more than that it is large. */
const countLimit = 10_000;
/** How often one process of all counts the backlogs of endpoints. */
const backlogIntervalMs = minuteMs;
/** How long that process may be silent. */
const leaseMs = 4 * backlogIntervalMs;
const hoursOfDay = 24;

/** Statistics of webhooks for the operator (rule OPS-35), and the backlogs of endpoints over time. */
@Injectable()
export class WebhookStatisticsService {
  private readonly lease: Lease;
  private readonly loop = new PollingLoop(
    'Backlogs of webhooks could not be noted',
    async () => {
      if (await this.lease.acquire()) await this.noteBacklogs();
    },
    () => backlogIntervalMs,
  );
  /** The attempts of this process that have a result. */
  readonly attempts = { delivered: 0, failed: 0 };
  private readonly attemptCounter: Counter<'endpoint' | 'result'>;
  private readonly countedEndpoints = new Set<string>();

  constructor(
    @InjectAcrossTenants('WebhookStatistics')
    private readonly statistics: CollectionAcrossTenants<WebhookStatisticsDocument>,
    private readonly events: OutboxEventsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly clock: Clock,
    metrics: Metrics,
    leases: Leases,
  ) {
    this.lease = leases.of('webhook-backlogs', leaseMs);
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
    await this.lease.release().catch(() => undefined);
  }

  /** The events that have no number yet, and so no deliveries. */
  async eventBacklog(): Promise<Backlog> {
    return this.backlog(await this.events.waiting(countLimit));
  }

  /** The deliveries that are due. */
  async deliveryBacklog(): Promise<Backlog> {
    return this.backlog(await this.queue.due(this.clock.now(), countLimit));
  }

  /** Counts an attempt of this process. */
  count(endpointId: Types.ObjectId, isDelivered: boolean): void {
    this.attempts[isDelivered ? 'delivered' : 'failed'] += 1;
    const id = endpointId.toHexString();
    if (this.countedEndpoints.size < endpointsLimit) this.countedEndpoints.add(id);
    const endpoint = this.countedEndpoints.has(id) ? id : 'other';
    this.attemptCounter.inc({ endpoint, result: 'delivered' }, isDelivered ? 1 : 0);
    this.attemptCounter.inc({ endpoint, result: 'failed' }, isDelivered ? 0 : 1);
  }

  /** Adds stored attempts to the quarter of an hour. */
  async add(endpoint: Endpoint, results: readonly AttemptResult[], now: Date): Promise<void> {
    const delivered = results.filter(isSuccess).length;
    const milliseconds = results.reduce((sum, result) => sum + result.milliseconds, 0);
    const failed = results.length - delivered;
    await this.upsert(endpoint, now, { $inc: { delivered, failed, milliseconds } });
  }

  /** The last 24 hours of endpoints, by their ids in hexadecimal. */
  async lastDay(
    endpoints: readonly { readonly _id: string; readonly organizationId: string }[],
  ): Promise<ReadonlyMap<string, EndpointStatistics>> {
    if (endpoints.length === 0) return new Map();
    const now = this.clock.now();
    const found = await this.statistics.find(
      idsOf(endpoints.map(({ organizationId }) => organizationId)),
      {
        endpointId: { $in: idsOf(endpoints.map(({ _id }) => _id)) },
        at: { $gte: firstHour(now, hoursOfDay) },
      },
    );
    const byEndpoint = Map.groupBy(found, ({ endpointId }) => endpointId.toHexString());
    return new Map(
      endpoints.map(({ _id }) => {
        return [_id, { hours: hourlyStats(byEndpoint.get(_id) ?? [], now, hoursOfDay) }];
      }),
    );
  }

  /** Notes how many deliveries wait for each endpoint; the most of a quarter stays. */
  async noteBacklogs(): Promise<void> {
    const now = this.clock.now();
    for (const endpoint of await this.queue.endpointsWaiting()) {
      const backlog = await this.queue.countWaiting(endpoint._id, countLimit);
      await this.upsert(endpoint, now, { $max: { backlog } });
    }
  }

  private async upsert(
    { _id: endpointId, organizationId }: Endpoint,
    now: Date,
    update: Document,
  ): Promise<void> {
    const at = startOfQuarter(now);
    await this.statistics.acrossTenants.updateOne(
      { organizationId, endpointId, at },
      { ...update, $set: { updatedAt: now }, $setOnInsert: { createdAt: now } },
      { upsert: true },
    );
  }

  private backlog({ oldest, count }: Waiting): Backlog {
    const lagMs = oldest === null ? 0 : this.clock.now().getTime() - oldest.getTime();
    return { lagMs: Math.max(0, lagMs), count };
  }
}

/** The hours up to a time, oldest first, out of the statistics of one endpoint. */
export function hourlyStats(
  quarters: readonly Pick<
    WebhookStatisticsDocument,
    'at' | 'delivered' | 'failed' | 'milliseconds' | 'backlog'
  >[],
  until: Date,
  hours: number,
): HourlyWebhookStats[] {
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

/** When the first of some hours begins of which the last one is under way. */
function firstHour(until: Date, hours: number): Date {
  return new Date((Math.floor(until.getTime() / hourMs) - hours + 1) * hourMs);
}

function idsOf(ids: readonly string[]): Types.ObjectId[] {
  return [...new Set(ids)].map((id) => new Types.ObjectId(id));
}
