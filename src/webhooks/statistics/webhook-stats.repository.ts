import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type PipelineStage, Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { startOfQuarterHour, type WebhookStatsDocument } from './webhook-stats.schema.js';

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

export interface AttemptCounts {
  readonly delivered: number;
  readonly failed: number;
}

/** Counts of attempts from a time on. */
export interface AttemptPoint extends AttemptCounts {
  readonly at: Date;
}

export type SeriesUnit = keyof typeof dateUnits;

const dateUnits = {
  quarter: { unit: 'minute', binSize: 15 },
  hour: { unit: 'hour' },
  day: { unit: 'day' },
} as const;
const attemptCounts = { delivered: { $sum: '$delivered' }, failed: { $sum: '$failed' } };
/** Points of 90 days of quarter hours come in one response. */
const maxPoints = 10_000;

@Injectable()
export class WebhookStatsRepository {
  constructor(
    @InjectModel('WebhookStatistics')
    private readonly stats: CrossTenantModel<WebhookStatsDocument>,
    private readonly clock: Clock,
  ) {}

  /** Adds to the counts of the current quarter of an hour. */
  async add(
    { _id: endpointId, organizationId }: Endpoint,
    { delivered, failed }: AttemptCounts,
  ): Promise<void> {
    const now = this.clock.now();
    await this.stats.updateOne(
      { organizationId, endpointId, at: startOfQuarterHour(now) },
      {
        $inc: { delivered, failed },
        $set: { updatedAt: now },
        $setOnInsert: { createdAt: now },
      },
      { upsert: true },
    );
  }

  /** Keys are endpoint ids; endpoints without attempts are missing. */
  async countsSince(
    endpoints: readonly Endpoint[],
    since: Date,
  ): Promise<ReadonlyMap<string, AttemptCounts>> {
    const organizationIds = endpoints.map(({ organizationId }) => organizationId.toHexString());
    const $match = {
      organizationId: { $in: [...new Set(organizationIds)].map((id) => new Types.ObjectId(id)) },
      endpointId: { $in: endpoints.map(({ _id }) => _id) },
      at: { $gte: since },
    };
    const steps = [{ $match }, { $group: { _id: '$endpointId', ...attemptCounts } }];
    const options = { batchSize: endpoints.length + 1 };
    const found = await this.stats.aggregate<AttemptCounts & Endpoint>(steps, options);
    return new Map(found.map((counts) => [counts._id.toHexString(), counts]));
  }

  /** Returns the oldest point first, of one or all endpoints, and no points without attempts. */
  async series(since: Date, unit: SeriesUnit, endpoint?: Endpoint): Promise<AttemptPoint[]> {
    const of = endpoint && { organizationId: endpoint.organizationId, endpointId: endpoint._id };
    const at = { $dateTrunc: { date: '$at', ...dateUnits[unit] } };
    const steps: PipelineStage[] = [
      { $match: { ...of, at: { $gte: since } } },
      { $group: { _id: at, ...attemptCounts } },
      { $sort: { _id: 1 } },
      { $project: { _id: 0, at: '$_id', delivered: 1, failed: 1 } },
    ];
    return this.stats.aggregate(steps, { batchSize: maxPoints, ...acrossTenants });
  }
}
