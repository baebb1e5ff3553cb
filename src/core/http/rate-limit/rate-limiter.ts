import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { type RateLimit, TokenBuckets } from './token-buckets.js';

/** @param remaining whole tokens; negative when the request was rejected (rule HTTP-22) */
export function rateLimitFields(policy: string, { rps, burst }: RateLimit, remaining: number) {
  // Whole seconds: at one or more tokens per second, the next token arrives within one second.
  const reset = remaining >= burst ? 0 : 1;
  return {
    'ratelimit-policy': `"${policy}";q=${burst};w=${Math.ceil(burst / rps)}`,
    ratelimit: `"${policy}";r=${Math.max(0, remaining)};t=${reset}`,
  };
}

/** Beyond this number, the least recently used keys start with a full bucket. */
const maxKeys = 10_000;

/** Each process counts for itself: a shared count would need a query for each request (rule HTTP-22). */
@Injectable()
export class RateLimiter {
  private readonly buckets: TokenBuckets;
  private readonly standard: RateLimit;

  constructor(clock: Clock, @Inject(ENVIRONMENT) environment: Environment) {
    this.buckets = new TokenBuckets(clock, maxKeys);
    this.standard = { rps: environment.RATE_LIMIT_RPS, burst: environment.RATE_LIMIT_BURST };
  }

  stats(): { readonly keys: number } {
    return { keys: this.buckets.size };
  }

  /** Must be called after the hook that finds the API key. No body has been read by then. */
  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ caller }, reply, done) => {
      if (caller === undefined) return done();
      const limit = caller.rateLimit ?? this.standard;
      if (limit.rps === 0) return done();
      const remaining = this.buckets.take(caller.apiKeyId.toHexString(), limit);
      reply.headers(rateLimitFields('default', limit, remaining));
      if (remaining >= 0) done();
      else done(new DomainError(httpErrors.rateLimited));
    });
  }
}
