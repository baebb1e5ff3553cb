import { Injectable } from '@nestjs/common';
import type { Document } from 'mongodb';
import type { Types } from 'mongoose';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { type AttemptResult, isSuccess } from '../deliveries/delivery-outcome.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import type { WebhookStatisticsDocument } from './webhook-statistics.schema.js';

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

const quarterMs = 900_000;

/** The queries on `webhookStatistics`. */
@Injectable()
export class WebhookStatisticsRepository {
  constructor(
    @InjectAcrossTenants('WebhookStatistics')
    private readonly statistics: CollectionAcrossTenants<WebhookStatisticsDocument>,
  ) {}

  /** Adds attempts to the quarter of an hour. */
  async add(endpoint: Endpoint, results: readonly AttemptResult[], now: Date): Promise<void> {
    const delivered = results.filter(isSuccess).length;
    const milliseconds = results.reduce((sum, result) => sum + result.milliseconds, 0);
    const failed = results.length - delivered;
    await this.upsert(endpoint, now, { $inc: { delivered, failed, milliseconds } });
  }

  /** Notes how many deliveries wait; the most of a quarter stays. */
  async noteBacklog(endpoint: Endpoint, backlog: number, now: Date): Promise<void> {
    await this.upsert(endpoint, now, { $max: { backlog } });
  }

  /** The statistics of endpoints since a time. */
  async since(
    organizationIds: readonly Types.ObjectId[],
    endpointIds: readonly Types.ObjectId[],
    since: Date,
  ): Promise<WebhookStatisticsDocument[]> {
    if (endpointIds.length === 0) return [];
    const filter = { endpointId: { $in: endpointIds }, at: { $gte: since } };
    return this.statistics.find(organizationIds, filter);
  }

  private async upsert(
    { _id: endpointId, organizationId }: Endpoint,
    now: Date,
    update: Document,
  ): Promise<void> {
    const at = new Date(Math.floor(now.getTime() / quarterMs) * quarterMs);
    await this.statistics.acrossTenants.updateOne(
      { organizationId, endpointId, at },
      { ...update, $set: { updatedAt: now }, $setOnInsert: { createdAt: now } },
      { upsert: true },
    );
  }
}
