import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import type {
  DeliveryAttempt,
  WebhookDeliveryDocument,
} from '../deliveries/webhook-delivery.schema.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { type ShownEndpoint, shownEndpoint } from '../endpoints/webhook-endpoints.service.js';
import { startOfQuarter, type WebhookStatisticsDocument } from './webhook-statistics.schema.js';

export interface FailingEndpoint {
  readonly endpoint: ShownEndpoint;
  /** Of the delivery that was retried most, or failed last; null when there was none. */
  readonly lastAttempt: DeliveryAttempt | null;
  readonly failedAttempts: number;
}

export interface EndpointHealth {
  readonly lastFailure: DeliveryAttempt | null;
  readonly retriedSince: Date | null;
}

/** The endpoints that an operator has to look at, and why (rule OPS-35). */
@Injectable()
export class FailingEndpointsService {
  constructor(
    @InjectAcrossTenants('WebhookEndpoint')
    private readonly endpoints: CollectionAcrossTenants<WebhookEndpointDocument>,
    @InjectAcrossTenants('WebhookDelivery')
    private readonly deliveries: CollectionAcrossTenants<WebhookDeliveryDocument>,
    @InjectAcrossTenants('WebhookStatistics')
    private readonly statistics: CollectionAcrossTenants<WebhookStatisticsDocument>,
    private readonly clock: Clock,
  ) {}

  /** The endpoints of all organizations that fail, are faulty or were disabled by failures; oldest failures first. */
  async list(limit: number): Promise<FailingEndpoint[]> {
    const isOn = { isEnabled: true, removedAt: null };
    const found = await this.endpoints.acrossTenants
      .find(
        {
          // Endpoints are few: they are read by this index, and the rest of the filter has none.
          _id: { $exists: true },
          $or: [
            { ...isOn, failingSince: { $type: 'date' } },
            { ...isOn, fault: { $type: 'string' } },
            { isEnabled: false, removedAt: null, disabledReason: { $in: ['gone', 'failing'] } },
          ],
        },
        { sort: { failingSince: 1 }, limit, projection: { secrets: 0 } },
      )
      .toArray();
    return Promise.all(
      found.map(async (endpoint) => ({
        endpoint: shownEndpoint(endpoint),
        lastAttempt: await this.lastAttempt(endpoint._id, endpoint.organizationId),
        failedAttempts: await this.failedAttempts(endpoint),
      })),
    );
  }

  /** The last failure of an endpoint; while it succeeds, that of a delivery that is retried. */
  async health(endpoint: ShownEndpoint): Promise<EndpointHealth> {
    const endpointId = new Types.ObjectId(endpoint._id);
    const retried = await this.deliveries.acrossTenants.findOne(
      { status: 'pending', endpointId, nextAttemptAt: { $gt: this.clock.now() } },
      { projection: { log: { $slice: -1 }, createdAt: 1 }, sort: { nextAttemptAt: 1 } },
    );
    const hasFailed = endpoint.failingSince !== null || endpoint.disabledReason === 'gone';
    const lastFailure = hasFailed
      ? await this.lastAttempt(endpointId, new Types.ObjectId(endpoint.organizationId))
      : retried?.log.at(-1);
    return { lastFailure: lastFailure ?? null, retriedSince: retried?.createdAt ?? null };
  }

  private async lastAttempt(
    endpointId: Types.ObjectId,
    organizationId: Types.ObjectId,
  ): Promise<DeliveryAttempt | null> {
    const projection = { log: { $slice: -1 } } as const;
    const deliveries = this.deliveries.acrossTenants;
    const [retried, failed] = await Promise.all([
      // The more attempts have failed, the later is the next one.
      deliveries.findOne(
        { status: 'pending', endpointId },
        { projection, sort: { nextAttemptAt: -1 } },
      ),
      deliveries.findOne(
        { organizationId, endpointId, status: 'failed' },
        { projection, sort: { createdAt: -1, _id: -1 } },
      ),
    ]);
    const attempts = [retried, failed].flatMap((delivery) => delivery?.log.at(-1) ?? []);
    return attempts.toSorted((a, b) => Number(b.startedAt) - Number(a.startedAt))[0] ?? null;
  }

  private async failedAttempts(endpoint: WebhookEndpointDocument): Promise<number> {
    const { _id: endpointId, organizationId, failingSince } = endpoint;
    if (!failingSince) return 0;
    const wanted = { endpointId, at: { $gte: startOfQuarter(failingSince) } };
    const quarters = await this.statistics.find(organizationId, wanted);
    return quarters.reduce((sum, { failed = 0 }) => sum + failed, 0);
  }
}
