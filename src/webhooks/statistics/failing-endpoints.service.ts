import { Injectable } from '@nestjs/common';
import type { Filter } from 'mongodb';
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

/** An endpoint whose events do not arrive. */
export interface FailingEndpoint {
  readonly endpoint: ShownEndpoint;
  /** Of the delivery that was retried most, or failed last; null when there was none. */
  readonly lastAttempt: DeliveryAttempt | null;
  /** Since it fails, to within a quarter of an hour. */
  readonly failedAttempts: number;
}

/** What the attempts at an endpoint say of it. */
export interface EndpointHealth {
  readonly lastFailure: DeliveryAttempt | null;
  /** Since when something waits to be tried again; null when nothing does. */
  readonly retriedSince: Date | null;
}

/** Which endpoints an operator has to look at, and why (rule OPS-35). */
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

  /**
   * The endpoints of all organizations that fail, that have a fault, or that their failures have turned off: first
   * those that fail longest.
   */
  async list(limit: number): Promise<FailingEndpoint[]> {
    const isOn = { isEnabled: true, removedAt: null };
    const filter: Filter<WebhookEndpointDocument> = {
      // Endpoints are few: they are read by this index, and the rest of the filter has none.
      _id: { $exists: true },
      $or: [
        { ...isOn, failingSince: { $type: 'date' } },
        { ...isOn, fault: { $type: 'string' } },
        { isEnabled: false, removedAt: null, disabledReason: { $in: ['gone', 'failing'] } },
      ],
    };
    const options = { sort: { failingSince: 1 }, limit, projection: { secrets: 0 } } as const;
    const found = await this.endpoints.acrossTenants.find(filter, options).toArray();
    return Promise.all(
      found.map(async (endpoint) => {
        const [lastAttempt, failedAttempts] = await Promise.all([
          this.lastAttempt(endpoint),
          this.failedAttempts(endpoint),
        ]);
        return { endpoint: shownEndpoint(endpoint), lastAttempt, failedAttempts };
      }),
    );
  }

  /** How the attempts at an endpoint go; of one that succeeds, whether something is tried again. */
  async health({
    _id,
    organizationId,
    failingSince,
    disabledReason,
  }: ShownEndpoint): Promise<EndpointHealth> {
    const endpointId = new Types.ObjectId(_id);
    const later = {
      status: 'pending',
      endpointId,
      nextAttemptAt: { $gt: this.clock.now() },
    } as const;
    const projection = { log: { $slice: -1 }, createdAt: 1 } as const;
    const retried = await this.deliveries.acrossTenants.findOne(later, {
      projection,
      sort: { nextAttemptAt: 1 },
    });
    const hasFailed = failingSince !== null || disabledReason === 'gone';
    const lastFailure = hasFailed
      ? await this.lastAttempt({
          _id: endpointId,
          organizationId: new Types.ObjectId(organizationId),
        })
      : (retried?.log.at(-1) ?? null);
    return { lastFailure, retriedSince: retried?.createdAt ?? null };
  }

  private async lastAttempt({
    _id: endpointId,
    organizationId,
  }: Pick<WebhookEndpointDocument, '_id' | 'organizationId'>): Promise<DeliveryAttempt | null> {
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
