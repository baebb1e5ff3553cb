import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { rateLimitFields } from '../../core/http/rate-limit/request-rates.js';
import { type RateLimit, TokenBuckets } from '../../core/http/rate-limit/token-buckets.js';
import { authenticationErrors } from '../../core/http/errors/authentication-errors.js';
import { clientAt } from './client-address.js';

/** How many clients are counted; of more at a time those that failed longest ago start anew. */
const maxClients = 10_000;

/** Limits how often the client at an address may fail to authenticate (rule AUTH-6). */
@Injectable()
export class AuthenticationFailures {
  private readonly buckets: TokenBuckets;
  private readonly limit: RateLimit;
  /** How many keys are being looked up by client: each may be a failure. */
  private readonly lookups = new Map<string, number>();

  constructor(clock: Clock, @Inject(ENVIRONMENT) environment: Environment) {
    this.buckets = new TokenBuckets(clock, maxClients);
    this.limit = { rps: environment.AUTH_FAILURE_RPS, burst: environment.AUTH_FAILURE_BURST };
  }

  /** How many clients are counted now. */
  stats(): { readonly clients: number } {
    return { clients: this.buckets.size };
  }

  /**
   * Begins to look up a key that this process has not seen yet.
   *
   * @returns what to call when that is over
   * @throws DomainError 429 where one more failure of the client would be too many
   */
  beginLookup(address: string | undefined): () => void {
    const client = clientAt(address);
    const running = this.lookups.get(client) ?? 0;
    if (this.limit.rps > 0 && !this.buckets.hasToken(client, this.limit, running)) {
      throw this.tooMany();
    }
    this.lookups.set(client, running + 1);
    return () => {
      const left = (this.lookups.get(client) ?? 1) - 1;
      if (left > 0) this.lookups.set(client, left);
      else this.lookups.delete(client);
    };
  }

  /**
   * Counts a failure.
   *
   * @throws DomainError 429 when it is one too many
   */
  count(address: string | undefined): void {
    if (this.limit.rps === 0 || this.buckets.take(clientAt(address), this.limit) >= 0) return;
    throw this.tooMany();
  }

  private tooMany(): DomainError {
    const fields = rateLimitFields('authentication', this.limit, -1);
    return new DomainError(authenticationErrors.tooManyFailures, undefined, fields);
  }
}
