import { isIP } from 'node:net';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticationErrors } from '../../core/http/errors/authentication-errors.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { KeyRestrictions } from '../../core/http/request-caller.js';
import { routeOptionsOf } from '../../core/http/server/route-options.js';

@Injectable()
export class KeyRestrictionsGuard implements CanActivate {
  /** Checks before the body is read; to be added after authentication and rate limits. */
  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => done(refusalOf(request)));
  }

  canActivate(context: ExecutionContext): boolean {
    const refusal = refusalOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (refusal !== undefined) throw refusal;
    return true;
  }
}

function refusalOf(request: FastifyRequest): DomainError | undefined {
  const { isPublic, permission = 'unknown' } = routeOptionsOf(request);
  if (isPublic === true || request.is404) return undefined;
  const { operations, addresses } = request.caller?.restrictions ?? nothing;
  // First, so that a stolen key does not reveal its operations.
  if (addresses !== null && !isWithin(addresses, request.ip)) {
    return new DomainError(authenticationErrors.addressNotPermitted);
  }
  if (operations.has(permission)) return undefined;
  return new DomainError(authenticationErrors.operationNotPermitted, { operation: permission });
}

const nothing: KeyRestrictions = { operations: new Set(), addresses: null };

/** A trusted proxy may name a client without an address, and a reset connection has none. */
function isWithin(addresses: NonNullable<KeyRestrictions['addresses']>, ip = ''): boolean {
  const version = isIP(ip);
  return version !== 0 && addresses.check(ip, version === 4 ? 'ipv4' : 'ipv6');
}
