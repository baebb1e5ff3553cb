import { Inject, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { rateLimitFields } from '../../core/http/rate-limit/rate-limit.guard.js';
import type { RateLimit } from '../../core/http/requests/request-caller.js';
import { TokenBuckets } from '../../core/http/rate-limit/token-buckets.js';
import { authenticationErrors } from './key-errors.js';

/** Beyond this number, clients whose last failure is oldest are dropped. */
const maxClients = 10_000;

@Injectable()
export class AuthFailureLimiter {
  private readonly buckets: TokenBuckets;
  private readonly limit: RateLimit;
  /** Running lookups by client; each may become a failure. */
  private readonly lookups = new Map<string, number>();

  constructor(clock: Clock, @Inject(ENVIRONMENT) environment: Environment) {
    this.buckets = new TokenBuckets(clock, maxClients);
    this.limit = { rps: environment.AUTH_FAILURE_RPS, burst: environment.AUTH_FAILURE_BURST };
  }

  stats(): { readonly clients: number } {
    return { clients: this.buckets.size };
  }

  /** Returns a function that ends the lookup. @throws DomainError 429 if a failure would exceed the limit */
  beginLookup(address: string | undefined): () => void {
    const client = addressRangeOf(address);
    const running = this.lookups.get(client) ?? 0;
    if (this.limit.rps > 0 && !this.buckets.hasToken(client, this.limit, running)) {
      throw this.tooManyFailures();
    }
    this.lookups.set(client, running + 1);
    return () => {
      const left = (this.lookups.get(client) ?? 1) - 1;
      if (left > 0) this.lookups.set(client, left);
      else this.lookups.delete(client);
    };
  }

  /** Returns the error of a counted failure, or a 429 beyond the limit. */
  count(address: string | undefined, error: DomainError): DomainError {
    const isLimited = this.limit.rps > 0;
    return isLimited && this.buckets.take(addressRangeOf(address), this.limit) < 0
      ? this.tooManyFailures()
      : error;
  }

  private tooManyFailures(): DomainError {
    const fields = rateLimitFields('authentication', this.limit, -1);
    return new DomainError(authenticationErrors.tooManyFailures, undefined, fields);
  }
}

/** Limits the name that a trusted proxy may give to a client without an address. */
const maxAddressLength = 64;

/** Groups IPv6 addresses by /64, the smallest range that a client gets. */
export function addressRangeOf(address: string | undefined): string {
  // A reset connection has no address.
  if (address === undefined) return '';
  if (!ipaddr.isValid(address)) return address.slice(0, maxAddressLength);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const { parts } = parsed as ipaddr.IPv6;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
