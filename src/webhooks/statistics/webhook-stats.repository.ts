import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { TenantUpdate } from '../../core/database/documents/tenant-queries.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { startOfQuarterHour, type WebhookStatsDocument } from './webhook-stats.schema.js';

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

interface HourCounts {
  readonly _id: Date;
  readonly delivered: number;
  readonly failed: number;
  readonly milliseconds: number;
  readonly backlog: number | null;
}

@Injectable()
export class WebhookStatsRepository {
  constructor(
    @InjectModel('WebhookStatistics') private readonly stats: TenantModel<WebhookStatsDocument>,
    private readonly clock: Clock,
  ) {}

  /** Changes the counts of the current quarter of an hour. */
  async update(
    { _id: endpointId, organizationId }: Endpoint,
    update: Pick<TenantUpdate<WebhookStatsDocument>, '$inc' | '$max'>,
  ): Promise<void> {
    const now = this.clock.now();
    await this.stats.updateOne(
      { organizationId, endpointId, at: startOfQuarterHour(now) },
      { ...update, $set: { updatedAt: now }, $setOnInsert: { createdAt: now } },
      { upsert: true },
    );
  }

  /** Omits hours without counts. */
  async hoursSince(
    { _id: endpointId, organizationId }: Endpoint,
    since: Date,
  ): Promise<HourCounts[]> {
    const counts = {
      delivered: { $sum: '$delivered' },
      failed: { $sum: '$failed' },
      milliseconds: { $sum: '$milliseconds' },
      backlog: { $max: '$backlog' },
    };
    return this.stats.aggregate<HourCounts>([
      { $match: { organizationId, endpointId, at: { $gte: since } } },
      { $group: { _id: { $dateTrunc: { date: '$at', unit: 'hour' } }, ...counts } },
    ]);
  }
}
