import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { PipelineStage, Types } from 'mongoose';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import { pageOf } from '../../core/database/models/pages.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import { ignoredFieldsCode } from '../usage/usage-counter.js';
import type { RequestLogDocument } from './request-log.schema.js';

export interface KeyReference {
  readonly organizationId: Types.ObjectId;
  readonly apiKeyId: Types.ObjectId;
}

export interface RequestFilter {
  /** An error code, a notice, or `fields.ignored` for accepted requests with ignored fields. */
  readonly code?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

export interface LoggedCause {
  readonly _id: string;
  readonly count: number;
  /** The newest request. */
  readonly example: RequestLogDocument;
  readonly ignoredFields: readonly (readonly string[])[];
}

export interface RequestIds {
  readonly organizationId: Types.ObjectId;
  readonly requestIds: readonly string[];
}

/** Clients choose request ids and may repeat them. */
const maxOfRequestId = 20;
const maxOfRequestIds = 100;
const hasIgnoredFields = { status: { $lt: 400 }, 'ignoredFields.0': { $exists: true } };

@Injectable()
export class RequestLogRepository {
  constructor(
    @InjectModel('RequestLog') private readonly requests: CrossTenantModel<RequestLogDocument>,
  ) {}

  async insert(requests: readonly RequestLogDocument[]): Promise<void> {
    if (requests.length > 0) await this.requests.insertMany(requests, { lean: true });
  }

  /** Counts the requests since a time up to the limit. */
  async countOfKey(key: KeyReference, since: Date, limit: number): Promise<number> {
    return this.requests.countDocuments({ ...key, createdAt: { $gte: since } }, { limit });
  }

  async pageOfKey(
    key: KeyReference,
    { code, since, until }: RequestFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<RequestLogDocument>> {
    const times = { ...(since && { $gte: since }), ...(until && { $lt: until }) };
    const isTimed = Object.keys(times).length > 0;
    const filter = { ...key, ...(isTimed && { createdAt: times }), ...withCode(code) };
    return pageOf(this.requests, filter, newestFirst, part);
  }

  /** Returns the newest requests of all organizations with the id. */
  async findByRequestId(requestId: string): Promise<RequestLogDocument[]> {
    const options = { sort: newestFirst, limit: maxOfRequestId, ...acrossTenants };
    return this.requests.find({ requestId }, null, options).lean();
  }

  /** Returns the newest accepted requests with ignored fields. */
  async findIgnored({ organizationId, requestIds }: RequestIds): Promise<RequestLogDocument[]> {
    if (requestIds.length === 0) return [];
    const filter = { organizationId, requestId: { $in: [...requestIds] }, ...hasIgnoredFields };
    const options = { sort: newestFirst, limit: maxOfRequestIds };
    return this.requests.find(filter, null, options).lean();
  }

  /** Groups requests by error code, notice and `fields.ignored`. */
  async causesOfKey(key: KeyReference, since: Date): Promise<LoggedCause[]> {
    const isIgnored = {
      $and: [{ $lt: ['$status', 400] }, { $gt: [{ $size: '$ignoredFields' }, 0] }],
    };
    const codes = [
      '$errorCodes',
      { $ifNull: ['$notices', []] },
      { $cond: [isIgnored, [ignoredFieldsCode], []] },
    ];
    const steps: PipelineStage[] = [
      { $match: { ...key, createdAt: { $gte: since } } },
      { $sort: newestFirst },
      { $set: { code: { $concatArrays: codes } } },
      { $unwind: '$code' },
      {
        $group: {
          _id: '$code',
          count: { $sum: 1 },
          example: { $first: '$$ROOT' },
          ignoredFields: { $addToSet: '$ignoredFields' },
        },
      },
    ];
    return this.requests.aggregate(steps, { batchSize: 1_000 });
  }
}

function withCode(code: string | undefined) {
  if (code === undefined) return {};
  if (code === ignoredFieldsCode) return hasIgnoredFields;
  return { $or: [{ errorCodes: code }, { notices: code }] };
}
