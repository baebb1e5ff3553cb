import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { type RateLimit, TokenBuckets } from './token-buckets.js';

/**
 * The fields by which a response tells a limit and what is left of it (rule HTTP-22), as in
 * draft-ietf-httpapi-ratelimit-headers-10. The window of the policy is the time in which an empty bucket
 * is full again.
 *
 * @param remaining whole tokens; below zero when the request itself was refused
 */
export function rateLimitFields(policy: string, { rps, burst }: RateLimit, remaining: number) {
  // At one token a second or more the next one comes within a second.
  const reset = remaining >= burst ? 0 : 1;
  return {
    'ratelimit-policy': `"${policy}";q=${burst};w=${Math.ceil(burst / rps)}`,
    ratelimit: `"${policy}";r=${Math.max(0, remaining)};t=${reset}`,
  };
}

/** How many keys are counted; of more at a time the least used start anew. */
const maxKeys = 10_000;

/** Limits how often each API key is used, in this process (rule HTTP-22). */
@Injectable()
export class RequestRates {
  private readonly buckets: TokenBuckets;
  private readonly standard: RateLimit;

  constructor(clock: Clock, @Inject(ENVIRONMENT) environment: Environment) {
    this.buckets = new TokenBuckets(clock, maxKeys);
    this.standard = { rps: environment.RATE_LIMIT_RPS, burst: environment.RATE_LIMIT_BURST };
  }

  /** How many keys are counted now. */
  stats(): { readonly keys: number } {
    return { keys: this.buckets.size };
  }

  /** Counts requests that have a caller by now, before anything of their bodies is read. */
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
