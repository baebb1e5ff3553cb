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
    part: KeysetRequest,
  ): Promise<KeysetPage<RequestLogDocument>> {
    return pageOf(this.requests, { organizationId, apiKeyId }, newestFirst, part);
  }
}
