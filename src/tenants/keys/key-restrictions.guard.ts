import { isIP } from 'node:net';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { authenticationErrors } from './key-errors.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { isPermitted, type KeyRestrictions } from '../../core/http/requests/request-caller.js';
import { routeOptionsOf } from '../../core/http/requests/route-options.js';

/** Checks the key's addresses, then its origins, then its operations (rules AUTH-7 and AUTH-10). */
@Injectable()
export class KeyRestrictionsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { isPublic, needsNoOperation, operation = 'unknown' } = routeOptionsOf(request);
    if (isPublic === true) return true;
    const { addresses = null, origins = null } = request.caller?.restrictions ?? {};
    // Checked first, so that a stolen key does not reveal its operations.
    if (addresses !== null && !isWithin(addresses, request.ip)) {
      throw new DomainError(authenticationErrors.addressNotPermitted);
    }
    if (origins !== null && !origins.has(request.headers.origin ?? '')) {
      throw new DomainError(authenticationErrors.originNotPermitted);
    }
    if (needsNoOperation === true && request.caller !== undefined) return true;
    if (isPermitted(request.caller, operation)) return true;
    throw new DomainError(authenticationErrors.operationNotPermitted, { operation });
  }
}

/** A trusted proxy may name a client without an address; a reset connection has none. */
function isWithin(addresses: NonNullable<KeyRestrictions['addresses']>, ip = ''): boolean {
  const version = isIP(ip);
  return version !== 0 && addresses.check(ip, version === 4 ? 'ipv4' : 'ipv6');
}
