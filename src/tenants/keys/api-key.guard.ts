import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailableError } from '../../core/database/connection/database-errors.js';
import { authenticationErrors } from './key-errors.js';
import { DomainError, type ErrorDefinition } from '../../core/errors/domain-error.js';
import { routeOptionsOf } from '../../core/http/requests/route-options.js';
import { allowedOriginHeader, exposedHeadersHeader } from '../../core/http/server/cors.js';
import { requestLanguage } from '../../core/localization/language.js';
import { ApiKeyAuthenticator, type AuthenticatedKey } from './api-key-authenticator.js';
import { hashApiKey } from './api-key-policy.js';
import { AuthFailureLimiter } from './auth-failure-limiter.js';
import type { KeyCaller } from './caller.js';

/** Who: sets the caller of a route that needs a key (rule HTTP-2). */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticator: ApiKeyAuthenticator,
    private readonly failures: AuthFailureLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (routeOptionsOf(request).isPublic === true) return true;
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const hash = hashOfKey(request);
    const found = hash && this.authenticator.cached(hash, request);
    if (!found) return this.lookUp(request, reply, hash);
    return admit(request, reply, found);
  }

  /** Sets the caller of a request without an endpoint, if its key is known already. */
  identify(request: FastifyRequest): void {
    const hash = hashOfKey(request);
    const found = hash && this.authenticator.cached(hash, request);
    if (found) request.caller = callerOf(request, found);
  }

  /** @throws DomainError 401, or 429 once the client exceeds its failure limit (rule AUTH-6) */
  private async lookUp(
    request: FastifyRequest,
    reply: FastifyReply,
    hash: string | undefined,
  ): Promise<boolean> {
    if (hash === undefined) throw this.failure(request, 'keyMissing');
    const beginLookup = () => this.failures.beginLookup(request.ip);
    const found = await this.authenticator.authenticate(hash, request, beginLookup);
    if (request.isOverdue) throw new DatabaseUnavailableError();
    if (found === null) throw this.failure(request, 'keyInvalid');
    return admit(request, reply, found);
  }

  /** Returns the endpoint's form of the 401 (rule AUTH-3). */
  private failure(request: FastifyRequest, reason: 'keyMissing' | 'keyInvalid'): DomainError {
    const error: ErrorDefinition = authenticationErrors[reason];
    const { keyErrors = [] } = routeOptionsOf(request);
    const definition = keyErrors.find(({ code }) => code === error.code) ?? error;
    return this.failures.count(request.ip, new DomainError(definition));
  }
}

function admit(request: FastifyRequest, reply: FastifyReply, found: AuthenticatedKey): true {
  const { restrictions } = (request.caller = callerOf(request, found));
  // Pages must not be able to use this key, even where another key names their origin.
  if (restrictions?.origins === null) {
    reply.removeHeader(allowedOriginHeader).removeHeader(exposedHeadersHeader);
  }
  return true;
}

function callerOf(request: FastifyRequest, { identity }: AuthenticatedKey): KeyCaller {
  const language = requestLanguage(request);
  const { id: requestId, expiresAt } = request;
  return { ...identity, requestId, language, expiresAt, failures: [], notices: new Set() };
}

/** Clients send UTF-8, but Node decodes headers as Latin-1. */
function decodedHeader(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
}

/** Returns undefined for a request without a key. */
export function hashOfKey(request: FastifyRequest): string | undefined {
  const header = request.headers['api-key'];
  if (typeof header !== 'string' || header === '') return hashOfKeyInQuery(request);
  return hashApiKey(decodedHeader(header));
}

function hashOfKeyInQuery(request: FastifyRequest): string | undefined {
  if (routeOptionsOf(request).acceptsKeyInQuery !== true) return undefined;
  const key = (request.query as Record<string, unknown>)['api-key'];
  return typeof key === 'string' && key !== '' ? hashApiKey(key) : undefined;
}
