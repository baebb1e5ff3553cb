import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { DomainError } from '../http/errors/domain-error.js';
import { rateLimitFields } from '../http/rate-limit/rate-limit-fields.js';
import { type RateLimit, TokenBuckets } from '../http/rate-limit/token-buckets.js';
import { authenticationErrors } from './authentication-errors.js';
import { clientAt } from './client-address.js';

/** How many clients are counted; of more at a time those that failed longest ago start anew. */
const maxClients = 10_000;

/** Limits how often the client at an address may fail to authenticate (rule AUTH-6). */
@Injectable()
export class AuthenticationFailures {
  private readonly buckets: TokenBuckets;
  private readonly limit: RateLimit;

  constructor(clock: Clock, @Inject(ENVIRONMENT) environment: Environment) {
    this.buckets = new TokenBuckets(clock, maxClients);
    this.limit = { rps: environment.AUTH_FAILURE_RPS, burst: environment.AUTH_FAILURE_BURST };
  }

  /** How many clients are counted now. */
  stats(): { readonly clients: number } {
    return { clients: this.buckets.size };
  }

  /** Whether one more failure of the client would be too many. */
  isExhausted(address: string | undefined): boolean {
    return this.limit.rps > 0 && !this.buckets.hasToken(clientAt(address), this.limit);
  }

  /**
   * Counts a failure.
   *
   * @throws DomainError 429 when it is one too many
   */
  count(address: string | undefined): void {
    if (this.limit.rps === 0 || this.buckets.take(clientAt(address), this.limit) >= 0) return;
    const fields = rateLimitFields('authentication', this.limit, -1);
    throw new DomainError(authenticationErrors.tooManyFailures, undefined, fields);
  }
}
