import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { newestFirst } from '../../core/database/documents/keyset.js';
import { pingType } from '../../events/outbox/event-types.js';
import type {
  DeliveryAttempt,
  WebhookDeliveryDocument,
} from '../deliveries/webhook-delivery.schema.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { type ShownEndpoint, shownEndpoint } from '../endpoints/webhook-endpoints.service.js';
import { startOfQuarter, type WebhookStatisticsDocument } from './webhook-statistics.schema.js';

export interface EndpointHealth {
  readonly lastFailure: DeliveryAttempt | null;
  /** When the delivery was created that has been retried most; null if none is retried. */
  readonly retriedSince: Date | null;
  /** Failed attempts since the endpoint fails. */
  readonly failedAttempts: number;
}

export interface FailingEndpoint {
  readonly endpoint: ShownEndpoint;
  readonly health: EndpointHealth;
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
            { ...isOn, eventTypes: { $exists: true, $not: { $type: 'array' } } },
            { isEnabled: false, removedAt: null, disabledReason: { $in: ['gone', 'failing'] } },
          ],
        },
        { sort: { failingSince: 1 }, limit, projection: { secrets: 0 } },
      )
      .toArray();
    const shown = found.map(shownEndpoint);
    return Promise.all(
      shown.map(async (endpoint) => ({ endpoint, health: await this.health(endpoint) })),
    );
  }

  /** The last failure of an endpoint; while it succeeds, that of a delivery that is retried. */
  async health(endpoint: ShownEndpoint): Promise<EndpointHealth> {
    const { failingSince, disabledReason } = endpoint;
    const [endpointId, organizationId] = [endpoint._id, endpoint.organizationId].map(
      (id) => new Types.ObjectId(id),
    ) as [Types.ObjectId, Types.ObjectId];
    const projection = { log: { $slice: -1 }, attempts: 1, createdAt: 1 } as const;
    const { acrossTenants: deliveries } = this.deliveries;
    // The more attempts have failed, the later is the next one.
    const retried = await deliveries.findOne(
      { status: 'pending', endpointId, attempts: { $gt: 0 } },
      { projection, sort: { nextAttemptAt: -1 } },
    );
    const hasFailed = failingSince !== null || disabledReason === 'gone';
    const ofEvents = {
      organizationId,
      endpointId,
      status: 'failed',
      type: { $ne: pingType },
    } as const;
    const failed =
      hasFailed && (await deliveries.findOne(ofEvents, { projection, sort: newestFirst }));
    const at = { $gte: startOfQuarter(failingSince ?? new Date()) };
    const quarters =
      failingSince === null ? [] : await this.statistics.find(organizationId, { endpointId, at });
    const attempts = [retried, failed].flatMap((one) => (one ? one.log : []));
    const [lastFailure = null] = attempts.toSorted(
      (a, b) => Number(b.startedAt) - Number(a.startedAt),
    );
    const failedAttempts = quarters.reduce((sum, quarter) => sum + (quarter.failed ?? 0), 0);
    return { lastFailure, retriedSince: retried?.createdAt ?? null, failedAttempts };
  }
}
