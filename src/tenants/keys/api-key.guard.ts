import { isUtf8 } from 'node:buffer';
import { isIP } from 'node:net';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError, type ErrorDefinition } from '../../core/http/errors/domain-error.js';
import { requestLanguage } from '../../core/localization/language.js';
import { RequestDeadline } from '../../core/http/server/request-deadline.js';
import { routeOptionsOf } from '../../core/http/server/route-options.js';
import { ApiKeyAuthenticator, type AuthenticatedKey } from './api-key-authenticator.js';
import { hashApiKey } from './api-key-policy.js';
import { isPermitted, type KeyRestrictions } from '../../core/http/request-caller.js';
import { authenticationErrors } from '../../core/http/errors/authentication-errors.js';
import { AuthFailureLimiter } from './auth-failure-limiter.js';
import type { Caller } from './caller.js';

/** Sets the caller of a route that needs a key (rule HTTP-2). The key must permit the request (rule AUTH-7). */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticator: ApiKeyAuthenticator,
    private readonly failures: AuthFailureLimiter,
    private readonly deadline: RequestDeadline,
  ) {}

  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const lookup = request.is404 ? undefined : this.authenticate(request);
      if (lookup === undefined) done();
      else void callWhenSettled(lookup, done);
    });
    // Unknown paths need no key, but a known key shows which partner uses them.
    fastify.addHook('onResponse', (request, _reply, done) => {
      if (request.is404 || routeOptionsOf(request).hasNoEndpoint === true)
        this.identifyCaller(request);
      done();
    });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    await this.authenticate(request);
    const refusal = restrictionError(request);
    if (refusal !== undefined) throw refusal;
    return true;
  }

  /** An error must be written in the same turn: an incomplete body closes the connection. */
  private authenticate(request: FastifyRequest): Promise<void> | undefined {
    if (routeOptionsOf(request).isPublic === true || request.caller !== undefined) return undefined;
    const hash = hashOfKey(request);
    const found = hash && this.authenticator.cached(hash, request);
    if (!found) return this.lookUp(request, hash);
    request.caller = callerOf(request, found);
    return undefined;
  }

  private identifyCaller(request: FastifyRequest): void {
    const hash = hashOfKey(request);
    const found = hash && this.authenticator.cached(hash, request);
    if (found) request.caller = callerOf(request, found);
  }

  /** @throws DomainError 401, or 429 once the client exceeds its failure limit (rule AUTH-6) */
  private async lookUp(request: FastifyRequest, hash: string | undefined): Promise<void> {
    if (hash === undefined) throw this.failure(request, 'keyMissing');
    const found = await this.deadline.within(
      request,
      this.authenticator.authenticate(hash, request, () => this.failures.beginLookup(request.ip)),
    );
    if (found === null) throw this.failure(request, 'keyInvalid');
    request.caller = callerOf(request, found);
  }

  /** Returns the endpoint's form of the 401 (rule AUTH-3). */
  private failure(request: FastifyRequest, reason: 'keyMissing' | 'keyInvalid'): DomainError {
    const error: ErrorDefinition = authenticationErrors[reason];
    const { keyErrors = [] } = routeOptionsOf(request);
    const definition = keyErrors.find(({ code }) => code === error.code) ?? error;
    return this.failures.count(request.ip, new DomainError(definition));
  }
}

/** Runs before the body is read, after authentication and rate limits. */
@Injectable()
export class KeyRestrictionsCheck {
  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => done(restrictionError(request)));
  }
}

function restrictionError(request: FastifyRequest): DomainError | undefined {
  const { isPublic, permission = 'unknown' } = routeOptionsOf(request);
  if (isPublic === true || request.is404) return undefined;
  const addresses = request.caller?.restrictions?.addresses ?? null;
  // Checked first, so that a stolen key does not reveal its operations.
  if (addresses !== null && !isWithin(addresses, request.ip)) {
    return new DomainError(authenticationErrors.addressNotPermitted);
  }
  if (isPermitted(request.caller, permission)) return undefined;
  return new DomainError(authenticationErrors.operationNotPermitted, { operation: permission });
}

/** A trusted proxy may name a client without an address; a reset connection has none. */
function isWithin(addresses: NonNullable<KeyRestrictions['addresses']>, ip = ''): boolean {
  const version = isIP(ip);
  return version !== 0 && addresses.check(ip, version === 4 ? 'ipv4' : 'ipv6');
}

async function callWhenSettled(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  const [result] = await Promise.allSettled([work]);
  done(result.status === 'rejected' ? (result.reason as Error) : undefined);
}

function callerOf(request: FastifyRequest, { identity }: AuthenticatedKey): Caller {
  const language = requestLanguage(request);
  return { ...identity, requestId: request.id, language, failures: [], notices: new Set() };
}

/** Clients send UTF-8, but Node decodes headers as Latin-1. */
function decodedHeader(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
}

function hashOfKey(request: FastifyRequest): string | undefined {
  const header = request.headers['api-key'];
  if (typeof header !== 'string' || header === '') return hashOfKeyInQuery(request);
  return hashApiKey(decodedHeader(header));
}

function hashOfKeyInQuery(request: FastifyRequest): string | undefined {
  if (routeOptionsOf(request).acceptsKeyInQuery !== true) return undefined;
  const key = (request.query as Record<string, unknown>)['api-key'];
  return typeof key === 'string' && key !== '' ? hashApiKey(key) : undefined;
}
