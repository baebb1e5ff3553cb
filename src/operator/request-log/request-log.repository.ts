import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import { pageOf } from '../../core/database/models/pages.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { RequestLogDocument } from './request-log.schema.js';

export interface RequestLogFilter {
  /** An error code, a notice, or `fields.ignored` for accepted requests with ignored fields. */
  readonly code?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

@Injectable()
export class RequestLogRepository {
  constructor(
    @InjectModel('RequestLog') private readonly requests: TenantModel<RequestLogDocument>,
  ) {}

  async insert(requests: readonly RequestLogDocument[]): Promise<void> {
    if (requests.length > 0) await this.requests.insertMany(requests, { lean: true });
  }

  async pageOfKey(
    organizationId: Types.ObjectId,
    apiKeyId: Types.ObjectId,
    filter: RequestLogFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<RequestLogDocument>> {
    const conditions = { organizationId, apiKeyId, ...conditionsOf(filter) };
    return pageOf(this.requests, conditions, newestFirst, part);
  }
}

function conditionsOf({ code, since, until }: RequestLogFilter): object {
  const createdAt = { ...(since && { $gte: since }), ...(until && { $lt: until }) };
  return {
    ...(Object.keys(createdAt).length > 0 && { createdAt }),
    ...(code === 'fields.ignored' && { 'ignoredFields.0': { $exists: true } }),
    ...(code !== undefined &&
      code !== 'fields.ignored' && { $or: [{ errorCodes: code }, { notices: code }] }),
  };
}
