import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { Metrics } from '../../observability/metrics.js';
import { DomainError } from '../../errors/domain-error.js';
import { httpErrors } from '../../errors/http-errors.js';
import type { RateLimit, RequestCaller } from '../requests/request-caller.js';
import { isLongPoll } from '../server/request-metrics.js';
import { TokenBuckets } from './token-buckets.js';

/** @param remaining whole tokens; negative when the request was refused (rule HTTP-22) */
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

/**
 * Limits the rate and the concurrency of each key's requests (rule HTTP-22). Each process counts for itself: a shared
 * count would need a query for each request. An unread response counts as running, so it bounds the memory of one key.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly buckets: TokenBuckets;
  private readonly standard: RateLimit;
  private readonly maxRunning: number;
  private readonly running = new Map<string, number>();

  constructor(clock: Clock, @Inject(ENVIRONMENT) environment: Environment, metrics: Metrics) {
    this.buckets = new TokenBuckets(clock, maxKeys);
    this.standard = { rps: environment.RATE_LIMIT_RPS, burst: environment.RATE_LIMIT_BURST };
    this.maxRunning = environment.MAX_CONCURRENT_REQUESTS;
    metrics.collect(
      'key_requests_running_max',
      'Running requests of the key that has most of them; MAX_CONCURRENT_REQUESTS at most.',
      () => Math.max(0, ...this.running.values()),
    );
  }

  stats(): { readonly keys: number } {
    return { keys: this.buckets.size };
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { caller } = request;
    if (caller === undefined) return true;
    const reply = http.getResponse<FastifyReply>();
    const keyId = caller.apiKeyId.toHexString();
    this.takeToken(keyId, this.limitOf(caller), reply);
    // It takes a place if it need not wait.
    if (!isLongPoll(request)) this.takePlace(caller, reply);
    return true;
  }

  /** Returns null for a key without a limit. */
  limitOf({ rateLimit = this.standard }: Pick<RequestCaller, 'rateLimit'>): RateLimit | null {
    return rateLimit.rps === 0 ? null : rateLimit;
  }

  private takeToken(keyId: string, limit: RateLimit | null, reply: FastifyReply): void {
    if (limit === null) return;
    const remaining = this.buckets.take(keyId, limit);
    reply.headers(rateLimitFields('default', limit, remaining));
    if (remaining < 0) throw new DomainError(httpErrors.rateLimited);
  }

  /** @throws DomainError 429 when MAX_CONCURRENT_REQUESTS of the key run */
  takePlace({ apiKeyId }: Pick<RequestCaller, 'apiKeyId'>, { raw }: FastifyReply): void {
    const keyId = apiKeyId.toHexString();
    const running = this.running.get(keyId) ?? 0;
    if (running >= this.maxRunning) throw new DomainError(httpErrors.rateLimited);
    // The `close` event of a disconnected client has passed.
    if (raw.destroyed) return;
    this.running.set(keyId, running + 1);
    raw.once('close', () => this.leavePlace(keyId));
  }

  private leavePlace(keyId: string): void {
    const running = (this.running.get(keyId) ?? 1) - 1;
    if (running === 0) this.running.delete(keyId);
    else this.running.set(keyId, running);
  }
}
