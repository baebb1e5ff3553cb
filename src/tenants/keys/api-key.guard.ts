import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError, type ErrorDefinition } from '../../core/http/errors/domain-error.js';
import { requestLanguage } from '../../core/localization/language.js';
import { RequestDeadline } from '../../core/http/server/request-deadline.js';
import { routeOptionsOf } from '../../core/http/server/route-options.js';
import { ApiKeyAuthenticator, type AuthenticatedKey } from './api-key-authenticator.js';
import { hashApiKey } from './api-key-format.js';
import { authenticationErrors } from '../../core/http/errors/authentication-errors.js';
import { AuthenticationFailures } from './authentication-failures.js';
import type { Caller } from './caller.js';

/** Authenticates every request to a route that needs a key and sets its caller (rule HTTP-2). */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticator: ApiKeyAuthenticator,
    private readonly failures: AuthenticationFailures,
    private readonly deadline: RequestDeadline,
  ) {}

  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const lookup = request.is404 ? undefined : this.authenticate(request);
      if (lookup === undefined) done();
      else void callWhenOver(lookup, done);
    });
    // Unknown paths need no key; a known key says which partner uses them.
    fastify.addHook('onResponse', (request, _reply, done) => {
      if (request.is404 || routeOptionsOf(request).hasNoEndpoint === true)
        this.identifyCaller(request);
      done();
    });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    await this.authenticate(request);
    return true;
  }

  /** A refusal must be written in the same turn: a body that breaks off closes the connection. */
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

  /** @throws DomainError 401, or 429 where it is one too many (rule AUTH-6) */
  private async lookUp(request: FastifyRequest, hash: string | undefined): Promise<void> {
    if (hash === undefined) throw this.failure(request, 'keyMissing');
    const found = await this.deadline.within(
      request,
      this.authenticator.authenticate(hash, request, () => this.failures.beginLookup(request.ip)),
    );
    if (found === null) throw this.failure(request, 'keyInvalid');
    request.caller = callerOf(request, found);
  }

  private failure(request: FastifyRequest, reason: 'keyMissing' | 'keyInvalid'): DomainError {
    this.failures.count(request.ip);
    return unauthorized(request, reason);
  }
}

async function callWhenOver(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  let error: Error | undefined;
  try {
    await work;
  } catch (reason) {
    error = reason as Error;
  }
  done(error);
}

function callerOf(request: FastifyRequest, { identity }: AuthenticatedKey): Caller {
  const language = requestLanguage(request);
  return { ...identity, requestId: request.id, language, failures: [] };
}

/** The 401 in the form of the endpoint (rule AUTH-3). */
function unauthorized(request: FastifyRequest, reason: 'keyMissing' | 'keyInvalid'): DomainError {
  const error: ErrorDefinition = authenticationErrors[reason];
  const { keyErrors = [] } = routeOptionsOf(request);
  return new DomainError(keyErrors.find(({ code }) => code === error.code) ?? error);
}

/** Clients send UTF-8, which Node reads as Latin-1. */
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
