import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { withinDeadline } from '../database/connection/deadline.js';
import { DomainError } from '../http/errors/domain-error.js';
import { remainingDeadline } from '../http/server/request-context.js';
import { routeOptionsOf } from '../http/server/route-options.js';
import { ApiKeyAuthenticator, type AuthenticatedKey } from './api-key-authenticator.js';
import { keyRateLimit } from './api-key-rate-limit.js';
import { authenticationErrors, withGenericMessage } from './authentication-errors.js';
import { AuthenticationFailures } from './authentication-failures.js';
import type { Caller } from './caller.js';

/**
 * The global guard: judges the API key of every request to an endpoint that needs one, from headers
 * and query, before any of its body is read (rule HTTP-2), and sets its caller.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticator: ApiKeyAuthenticator,
    private readonly failures: AuthenticationFailures,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Judges from now on, before the framework reads a body and calls its guards. */
  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      if (request.is404 || !needsKey(request)) return done();
      const key = presentedKey(request);
      const found = key && this.authenticator.remembered(key, request.hostname);
      if (found) {
        request.caller = callerOf(request, found);
        return done();
      }
      void this.judgeThen(done, request, key);
    });
  }

  /**
   * Lets no handler run without a caller, however its request came past the first judgement, or without the
   * permission that it needs (rule AUTH-7).
   */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    if (caller === undefined && needsKey(request)) throw unauthorized(request, 'keyMissing');
    if (routeOptionsOf(request).readsEvents === true && caller?.mayReadEvents !== true) {
      throw new DomainError(authenticationErrors.mayNotReadEvents);
    }
    return true;
  }

  private async judgeThen(
    done: (error?: Error) => void,
    request: FastifyRequest,
    key: string | undefined,
  ): Promise<void> {
    let error: Error | undefined;
    try {
      await this.judge(request, key);
    } catch (reason) {
      error = reason as Error;
    }
    done(error);
  }

  private async judge(request: FastifyRequest, key: string | undefined): Promise<void> {
    if (key === undefined) throw this.failure(request, 'keyMissing');
    const found = await withinDeadline(
      this.authenticator.authenticate(key, request.hostname, () =>
        this.failures.beginLookup(request.ip),
      ),
      remainingDeadline(request, this.environment.DATABASE_DEADLINE_MS),
    );
    if (found === null) throw this.failure(request, 'keyInvalid');
    request.caller = callerOf(request, found);
  }

  /** The 401, or the 429 where it is one too many (rule AUTH-6). */
  private failure(request: FastifyRequest, reason: 'keyMissing' | 'keyInvalid'): DomainError {
    this.failures.count(request.ip);
    return unauthorized(request, reason);
  }
}

function callerOf(request: FastifyRequest, { key, organization }: AuthenticatedKey): Caller {
  const rateLimit = keyRateLimit(key);
  return {
    organizationId: organization._id,
    organization,
    apiKeyId: key._id,
    permissions: JSON.stringify(key.permissions),
    mayReadEvents: key.permissions?.readEvents === true,
    requestId: request.id,
    language: request.language,
    ...(rateLimit === null ? {} : { rateLimit }),
  };
}

/** Routes that do not say otherwise need a key. */
function needsKey(request: FastifyRequest): boolean {
  return routeOptionsOf(request).isPublic !== true;
}

/** The 401 in the form of the endpoint (rule AUTH-3). */
function unauthorized(request: FastifyRequest, reason: 'keyMissing' | 'keyInvalid'): DomainError {
  const { omitsErrorFieldOn401 = false, hasGenericUnauthorizedMessage = false } =
    routeOptionsOf(request);
  const error = authenticationErrors[reason];
  const definition = hasGenericUnauthorizedMessage ? withGenericMessage(error) : error;
  return new DomainError({ ...definition, omitsErrorField: omitsErrorFieldOn401 });
}

/** A header's text as it was sent: Node reads its bytes as Latin-1, and clients write UTF-8. */
function decodedHeader(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
}

/** The key in the header, or, where the endpoint accepts it there, in the query. */
function presentedKey(request: FastifyRequest): string | undefined {
  const header = request.headers['api-key'];
  if (typeof header === 'string' && header !== '') return decodedHeader(header);
  if (routeOptionsOf(request).acceptsKeyInQuery !== true) return undefined;
  const query = (request.query as Record<string, unknown>)['api-key'];
  return typeof query === 'string' && query !== '' ? query : undefined;
}
