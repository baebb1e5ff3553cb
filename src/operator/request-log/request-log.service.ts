import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { UsageService } from '../usage/usage.service.js';
import { type CauseText, causeText } from './causes.js';
import {
  type LoggedCause,
  type RequestFilter,
  type RequestIds,
  RequestLogRepository,
} from './request-log.repository.js';
import type { RequestLogDocument } from './request-log.schema.js';

export type LoggedRequest = ReturnType<typeof loggedRequest>;

export type IdentifiedRequest = LoggedRequest & {
  readonly organizationId: string;
  readonly keyId: string;
};

export interface Cause extends CauseText {
  readonly code: string;
  /** Counts requests beyond the daily limit of the log, too. */
  readonly count: number;
  /** Null if the log has no request with the code. */
  readonly lastAt: Date | null;
  readonly example: LoggedRequest | null;
  /** Set for `fields.ignored`. */
  readonly ignoredFields?: readonly string[];
}

interface KeyIds {
  readonly organizationId: string;
  readonly keyId: string;
}

@Injectable()
export class RequestLogService {
  constructor(
    private readonly requests: RequestLogRepository,
    private readonly usage: UsageService,
  ) {}

  async listOfKey(
    key: KeyIds,
    filter: RequestFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<LoggedRequest>> {
    const { items, next } = await this.requests.pageOfKey(referenceOf(key), filter, part);
    return { items: items.map(loggedRequest), next };
  }

  /** Returns the newest first; clients may use an id more than once. */
  async findByRequestId(requestId: string): Promise<IdentifiedRequest[]> {
    const found = await this.requests.findByRequestId(requestId);
    return found.map(identifiedRequest);
  }

  /** Returns the newest requests of an organization with ignored fields. */
  async findByRequestIds(requests: RequestIds): Promise<IdentifiedRequest[]> {
    return (await this.requests.findIgnored(requests)).map(identifiedRequest);
  }

  /** Returns why requests were refused or had less effect than their clients may expect, the most frequent first. */
  async causesOfKey(key: KeyIds, since: Date): Promise<Cause[]> {
    const reference = referenceOf(key);
    const [counts, logged] = await Promise.all([
      this.usage.codes(reference.apiKeyId, since),
      this.requests.causesOfKey(reference, since),
    ]);
    const byCode = new Map(logged.map((cause) => [cause._id, cause]));
    const codes = new Set([...counts.keys(), ...byCode.keys()]);
    const causes = [...codes].map((code) =>
      toCause(code, counts.get(code) ?? 0, byCode.get(code) ?? null),
    );
    return causes.toSorted((a, b) => b.count - a.count || a.code.localeCompare(b.code));
  }
}

/** The log may be ahead of the counts by some seconds. */
function toCause(code: string, counted: number, logged: LoggedCause | null): Cause {
  const text = causeText(code);
  const names = new Set(logged?.ignoredFields.flat());
  return {
    code,
    ...text,
    count: Math.max(counted, logged?.count ?? 0),
    lastAt: logged?.example.createdAt ?? null,
    example: logged && loggedRequest(logged.example),
    ...(text.kind === 'ignored' && { ignoredFields: [...names].toSorted() }),
  };
}

function referenceOf({ organizationId, keyId }: KeyIds) {
  return {
    organizationId: new Types.ObjectId(organizationId),
    apiKeyId: new Types.ObjectId(keyId),
  };
}

function identifiedRequest(request: RequestLogDocument): IdentifiedRequest {
  return {
    ...loggedRequest(request),
    organizationId: request.organizationId.toHexString(),
    keyId: request.apiKeyId.toHexString(),
  };
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
