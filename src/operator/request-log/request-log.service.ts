import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { type RequestLogFilter, RequestLogRepository } from './request-log.repository.js';
import type { RequestLogDocument } from './request-log.schema.js';

export type LoggedRequest = ReturnType<typeof loggedRequest>;

@Injectable()
export class RequestLogService {
  constructor(private readonly requests: RequestLogRepository) {}

  async listOfKey(
    { organizationId, keyId }: { readonly organizationId: string; readonly keyId: string },
    filter: RequestLogFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<LoggedRequest>> {
    const [tenant, apiKeyId] = [new Types.ObjectId(organizationId), new Types.ObjectId(keyId)];
    const { items, next } = await this.requests.pageOfKey(tenant, apiKeyId, filter, part);
    return { items: items.map(loggedRequest), next };
  }
}

function loggedRequest({ createdAt: time, ...request }: RequestLogDocument) {
  const { route, status, errorCodes, messages, ignoredFields, requestId, durationMs } = request;
  const { notices = [] } = request;
  return {
    time,
    route,
    status,
    errorCodes,
    messages,
    ignoredFields,
    notices,
    requestId,
    durationMs,
  };
}
