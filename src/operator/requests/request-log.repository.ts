import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import type { RequestLogDocument } from './request-log.schema.js';

@Injectable()
export class RequestLogRepository {
  constructor(
    @InjectCollection('RequestLog')
    private readonly requests: TenantCollection<RequestLogDocument>,
  ) {}

  async insert(requests: readonly RequestLogDocument[]): Promise<void> {
    await this.requests.insert(...requests);
  }

  async list(
    organizationId: Types.ObjectId,
    apiKeyId: Types.ObjectId,
    part: KeysetRequest,
  ): Promise<KeysetPage<RequestLogDocument>> {
    return this.requests.page(organizationId, { apiKeyId }, newestFirst, part);
  }
}
