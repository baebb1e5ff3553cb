import { createHash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BSON } from 'mongodb';
import { catchError, mergeMap, type Observable, of } from 'rxjs';
import { DomainError } from '../errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../errors/error-responses.js';
import { routeOptionsOf } from '../http/requests/route-options.js';
import { requestLanguage } from '../localization/language.js';
import { isPlainObject, jsonContentType, asObject } from '../values/json.js';
import type { IdempotencyClaim, StoredResponse } from '../http/requests/idempotency-claim.js';
import { idempotencyErrors, maxKeyLength } from '../errors/idempotency-errors.js';
import { parseIdempotencyKey } from './idempotency-key.js';
import { IdempotencyService, isReplayable } from './idempotency.service.js';

const jsonType = { 'content-type': jsonContentType };

/** Replays the response of the first request with an `Idempotency-Key` (rule HTTP-23). */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger(IdempotencyInterceptor.name);

  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly errors: ErrorResponses,
  ) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const value = request.headers['idempotency-key'];
    if (value === undefined || request.method !== 'POST') return next.handle();
    const key = parseIdempotencyKey(String(value));
    if (key === null) {
      throw new DomainError(idempotencyErrors.idempotencyKeyMalformed, { limit: maxKeyLength });
    }
    if (isDryRun(request)) return next.handle();
    return this.run(key, request, http.getResponse<FastifyReply>(), next);
  }

  private async run(
    key: string,
    request: FastifyRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<Observable<unknown>> {
    const { caller } = request;
    if (caller === undefined) return next.handle();
    const before = { ...reply.getHeaders() };
    const headersSoFar = () => headersSince(before, request, reply);
    const { claim, response } = await this.idempotency.begin({
      caller,
      key,
      ...fingerprintsOf(request),
      headersSoFar,
    });
    if (response !== undefined) {
      reply.status(response.status).headers(response.headers).header('idempotent-replayed', 'true');
      return of(response.body ?? undefined);
    }
    if (claim === undefined) return next.handle();
    // After the deadline's 503, a claim would refuse retries until its lease expires.
    if (request.isOverdue) {
      await this.release(claim);
      return of(undefined);
    }
    request.caller = { ...caller, claim };
    return next.handle().pipe(
      mergeMap((body) => this.settleResult(claim, request, reply, body)),
      catchError((error: unknown) => this.settleError(claim, request, error)),
    );
  }

  /** Sends what the transaction has stored, byte for byte; stores the response of a request without one. */
  private async settleResult(
    claim: IdempotencyClaim,
    { isOverdue }: FastifyRequest,
    reply: FastifyReply,
    result: unknown,
  ): Promise<unknown> {
    const { statusCode: status } = reply;
    if (claim.response?.status === status) {
      if (claim.response.body === null) return result;
      reply.headers(jsonType);
      return claim.response.body;
    }
    if (isOverdue || !isReplayable(status)) {
      await this.release(claim);
      return result;
    }
    const body = result === undefined ? null : JSON.stringify(result);
    if (body !== null) reply.headers(jsonType);
    await this.store(claim, { status, headers: claim.headersSoFar(), body });
    return body ?? undefined;
  }

  /** A claim that is not released refuses a retry until its lease expires. */
  private async settleError(
    claim: IdempotencyClaim,
    request: FastifyRequest,
    error: unknown,
  ): Promise<never> {
    const failure = toDomainError(error);
    if (claim.response?.status === failure.status) throw error;
    if (request.isOverdue || !isReplayable(failure.status)) {
      // Not awaited: an unresponsive database must not delay the response.
      void this.release(claim);
      throw error;
    }
    const { status, headers, body } = this.errors.responseTo(failure, requestLanguage(request));
    const stored = { ...claim.headersSoFar(), ...jsonType, ...headers };
    await this.store(claim, { status, headers: stored, body: JSON.stringify(body) });
    throw error;
  }

  private async store(claim: IdempotencyClaim, response: StoredResponse): Promise<void> {
    await this.idempotency
      .completeUnchanged({ claim, response })
      .catch((error: unknown) => this.warn(error));
  }

  private async release(claim: IdempotencyClaim): Promise<void> {
    await this.idempotency.release(claim).catch((error: unknown) => this.warn(error));
  }

  private warn(error: unknown): void {
    this.logger.warn(
      { err: error },
      'Could not store the idempotent response; a retry with the key gets 409 until the lease expires',
    );
  }
}

function isDryRun(request: FastifyRequest): boolean {
  return routeOptionsOf(request).hasDryRun === true && asObject(request.body)['dryRun'] === true;
}

/** Payloads are compared as JSON values: neither white space nor the order of members counts. */
function fingerprintsOf({ url, body }: FastifyRequest) {
  const [path = ''] = url.split('?', 1);
  const hashOf = (payload: unknown) =>
    createHash('sha256')
      .update(path)
      .update('\0')
      .update(BSON.serialize({ body: payload }))
      .digest('base64url');
  return { fingerprint: hashOf(body), valueFingerprint: hashOf(withSortedMembers(body)) };
}

function withSortedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedMembers);
  if (!isPlainObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, withSortedMembers(value[name])]));
}

/** Returns only headers that were set or changed since, and the language of the response. */
function headersSince(
  before: Readonly<Record<string, unknown>>,
  { language }: FastifyRequest,
  reply: FastifyReply,
): Record<string, string> {
  const set = Object.entries(reply.getHeaders()).filter(
    ([name, value]) => before[name] !== value && name !== 'connection',
  );
  const own = set.map(([name, value]) => [name, String(value)] as const);
  return { 'content-language': language, ...Object.fromEntries(own) };
}
