import { randomUUID } from 'node:crypto';
import { pageOf } from '../../core/database/models/pages.js';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { PipelineStage, Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { containing } from '../../core/database/documents/containing.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import { pingType } from '../../events/outbox/event-types.js';
import type { SealedSecret } from '../../core/secrets/signing-secret.js';
import type { WebhookEndpointDocument } from './webhook-endpoint.schema.js';

/** A worker leases an endpoint for this time, in ms (rule HOOK-9). */
export const leaseMs = 60_000;
export const isFreeEndpoint = {
  $or: [{ $lte: ['$leaseOwner', null] }, { $lte: ['$leasedUntil', '$$NOW'] }],
};
const pipelineUpdate = { returnDocument: 'after', updatePipeline: true, ...acrossTenants } as const;

export interface EndpointQuery {
  readonly organizationId?: Types.ObjectId | undefined;
  /** `failing` includes faulty and automatically disabled endpoints. */
  readonly show?: 'all' | 'failing' | 'disabled' | undefined;
  /** Part of the URL, ignoring case. */
  readonly text?: string | undefined;
}

export interface FailingSince {
  readonly _id: Types.ObjectId;
  /** First failed attempt after the last success. */
  readonly failingSince: Date;
}

/** Counts stop at `maxCountedDeliveries`; the flags say whether there are more. */
export interface DeliveryCounts {
  readonly waiting: number;
  readonly hasMoreWaiting: boolean;
  readonly failed: number;
  readonly hasMoreFailed: boolean;
}

export const maxCountedDeliveries = 10_000;

const isOn = { isEnabled: true, removedAt: null };
const hasFailed = { ...isOn, failingSince: { $type: 'date' } };
const isFailing = {
  $or: [
    hasFailed,
    { ...isOn, fault: { $type: 'string' } },
    { ...isOn, eventTypes: { $exists: true, $not: { $type: 'array' } } },
    { isEnabled: false, removedAt: null, disabledReason: { $in: ['gone', 'failing'] } },
  ],
};
const shownFilters = { all: {}, failing: isFailing, disabled: { isEnabled: { $ne: true } } };

@Injectable()
export class WebhookEndpointsRepository {
  constructor(
    @InjectModel('WebhookEndpoint')
    private readonly endpoints: CrossTenantModel<WebhookEndpointDocument>,
    private readonly clock: Clock,
  ) {}

  async add(endpoint: WebhookEndpointDocument): Promise<void> {
    await this.endpoints.insertMany([endpoint], { lean: true });
  }

  async find(_id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    return this.endpoints.findOne({ _id }, null, acrossTenants).lean();
  }

  async findEnabled(organizationId: Types.ObjectId): Promise<WebhookEndpointDocument[]> {
    return this.endpoints.find({ organizationId, isEnabled: true, removedAt: null }).lean();
  }

  /** Returns the oldest first, of one or all organizations. */
  async list(organizationId: Types.ObjectId | undefined): Promise<WebhookEndpointDocument[]> {
    const options = { sort: { createdAt: 1 }, ...acrossTenants } as const;
    return this.endpoints.find(notRemoved(organizationId), null, options).lean();
  }

  /** Returns failing, faulty and auto-disabled endpoints of all organizations; the oldest failure comes first. */
  async findFailing(limit: number): Promise<WebhookEndpointDocument[]> {
    // The rest of the filter has no index. Endpoints are few, so the index of `_id` reads all of them.
    const filter = { _id: { $exists: true }, ...isFailing };
    const shown = { $project: { secrets: 0 } };
    const steps = [{ $match: filter }, { $sort: { failingSince: 1 } }, { $limit: limit }, shown];
    return this.endpoints.aggregate<WebhookEndpointDocument>(steps as PipelineStage[], {
      batchSize: limit + 1,
      ...acrossTenants,
    });
  }

  /** Omits endpoints that are off. The oldest failure comes first. */
  async findFailingSince(limit: number): Promise<FailingSince[]> {
    const steps: PipelineStage[] = [
      { $match: { _id: { $exists: true }, ...hasFailed } },
      { $sort: { failingSince: 1 } },
      { $limit: limit },
      { $project: { failingSince: 1 } },
    ];
    return this.endpoints.aggregate<FailingSince>(steps, {
      batchSize: limit + 1,
      ...acrossTenants,
    });
  }

  /** Returns the newest first with counts of their deliveries. */
  async listWithCounts(
    query: EndpointQuery,
    part: KeysetRequest,
  ): Promise<KeysetPage<WebhookEndpointDocument & DeliveryCounts>> {
    const lastStages = [
      countStage('waiting', { status: 'pending' }),
      // The index of failed deliveries starts with the organization.
      countStage('failed', {
        status: 'failed',
        type: { $ne: pingType },
        $expr: { $eq: ['$organizationId', '$$organizationId'] },
      }),
      { $set: { ...countedFields('waiting', 'Waiting'), ...countedFields('failed', 'Failed') } },
    ];
    const options = { batchSize: part.limit + 2, ...acrossTenants };
    return pageOf(this.endpoints, endpointFilter(query), { _id: -1 }, part, {
      lastStages,
      options,
    });
  }

  /** Returns the newest first, of all organizations. */
  async searchByUrl(text: string, limit: number): Promise<WebhookEndpointDocument[]> {
    const options = { sort: { _id: -1 }, limit, batchSize: limit + 1, ...acrossTenants } as const;
    return this.endpoints.find(endpointFilter({ text }), null, options).lean();
  }

  async set(
    filter: TenantFilter<WebhookEndpointDocument>,
    fields: Partial<WebhookEndpointDocument>,
  ): Promise<void> {
    const $set = { ...fields, updatedAt: this.clock.now() };
    await this.endpoints.updateOne(filter, { $set }, acrossTenants);
  }

  /** A single statement loses neither of two concurrent rotations. Returns null for a removed endpoint. */
  async addSecret(
    _id: Types.ObjectId,
    secret: SealedSecret,
    othersUntil: Date,
  ): Promise<WebhookEndpointDocument | null> {
    const now = this.clock.now();
    const expiring = {
      $map: {
        input: '$secrets',
        in: {
          $mergeObjects: ['$$this', { expiresAt: { $min: ['$$this.expiresAt', othersUntil] } }],
        },
      },
    };
    const active = { $filter: { input: expiring, cond: { $gt: ['$$this.expiresAt', now] } } };
    const secrets = { $concatArrays: [[{ $literal: secret }], { $ifNull: [active, []] }] };
    const update = [{ $set: { secrets, updatedAt: now } }];
    return this.endpoints.findOneAndUpdate({ _id, removedAt: null }, update, pipelineUpdate).lean();
  }

  /** Returns null while another worker has the lease. */
  async lease(_id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    const $set = { leaseOwner: randomUUID(), leasedUntil: { $add: ['$$NOW', leaseMs] } };
    const free = { _id, $expr: isFreeEndpoint };
    return this.endpoints.findOneAndUpdate(free, [{ $set }], pipelineUpdate).lean();
  }

  /** Releases the lease. Stores `fields` and returns true, unless the operator has changed the endpoint since. */
  async release(
    { _id, leaseOwner, updatedAt }: WebhookEndpointDocument,
    fields: Partial<WebhookEndpointDocument>,
  ): Promise<boolean> {
    const leased = { _id, leaseOwner: leaseOwner ?? '' };
    const free = { leaseOwner: null };
    const update = { $set: { ...fields, ...free } };
    const write = async () =>
      this.endpoints.updateOne({ ...leased, updatedAt }, update, acrossTenants);
    const { matchedCount } = await write().catch(write);
    if (matchedCount === 0) await this.endpoints.updateOne(leased, { $set: free }, acrossTenants);
    return matchedCount === 1;
  }

  /** Removes excerpts of responses about these objects, or to one delivery. */
  async eraseExcerpts(
    organizationId: Types.ObjectId,
    about: { readonly objectIds: readonly string[] } | { readonly deliveryId: Types.ObjectId },
  ): Promise<void> {
    const failed =
      'deliveryId' in about
        ? { 'lastFailure.deliveryId': about.deliveryId }
        : { 'lastFailure.objectId': { $in: about.objectIds } };
    const update = { $set: { 'lastFailure.excerpt': null } } as const;
    await this.endpoints.updateMany({ organizationId, ...failed }, update);
  }

  /** Ends a pause. Returns false for a disabled or removed endpoint. */
  async resume(_id: Types.ObjectId): Promise<boolean> {
    // Keeps `updatedAt`, so that the results of a running batch are stored.
    const update = { $set: { pausedUntil: null } };
    const enabled = { _id, isEnabled: true, removedAt: null };
    const { matchedCount } = await this.endpoints.updateOne(enabled, update, acrossTenants);
    return matchedCount === 1;
  }

  /** Returns the start of the replay, which is earlier if it was interrupted after `resumable`. */
  async beginReplay(_id: Types.ObjectId, name: string, resumable: Date, now: Date): Promise<Date> {
    const field = `replays.${name}`;
    const begun = { $cond: [{ $gt: [`$${field}`, resumable] }, `$${field}`, now] };
    const update = [{ $set: { [field]: begun } }];
    const endpoint = await this.endpoints.findOneAndUpdate({ _id }, update, pipelineUpdate).lean();
    return endpoint?.replays?.[name] ?? now;
  }

  async endReplay(_id: Types.ObjectId, name: string): Promise<void> {
    const update = { $unset: { [`replays.${name}`]: '' } as const };
    await this.endpoints.updateOne({ _id }, update, acrossTenants);
  }
}

function notRemoved(organizationId: Types.ObjectId | undefined) {
  const tenant = organizationId === undefined ? { _id: { $exists: true } } : { organizationId };
  return { ...tenant, removedAt: null };
}

function endpointFilter({ organizationId, show = 'all', text = '' }: EndpointQuery) {
  const url = text === '' ? {} : { url: { $in: [new RegExp(containing(text).$regex, 'i')] } };
  return { ...notRemoved(organizationId), ...shownFilters[show], ...url };
}

function countStage(name: string, filter: PipelineStage.Match['$match']): PipelineStage.Lookup {
  return {
    $lookup: {
      from: 'webhookDeliveries',
      localField: '_id',
      foreignField: 'endpointId',
      let: { organizationId: '$organizationId' },
      pipeline: [{ $match: filter }, { $limit: maxCountedDeliveries + 1 }, { $count: 'count' }],
      as: name,
    },
  };
}

function countedFields(name: 'waiting' | 'failed', label: string) {
  const count = { $ifNull: [{ $first: `$${name}.count` }, 0] };
  return {
    [name]: { $min: [count, maxCountedDeliveries] },
    [`hasMore${label}`]: { $gt: [count, maxCountedDeliveries] },
  };
}
