import { Inject, Injectable } from '@nestjs/common';
import PQueue from 'p-queue';
import { addressRangeOf } from '../../tenants/keys/auth-failure-limiter.js';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import type { RateLimit } from '../../core/http/requests/request-caller.js';
import { TokenBuckets } from '../../core/http/rate-limit/token-buckets.js';
import { isPassword } from '../../core/values/password-hash.js';

/** Beyond this number, the oldest entries are dropped and get a new allowance. */
const maxClients = 10_000;
/** Allows five attempts, then one every 30 s. */
const perClient: RateLimit = { rps: 1 / 30, burst: 5 };
/** All addresses share this limit, which slows distributed guessing. */
const allClients: RateLimit = { rps: 1 / 3, burst: 50 };
/** scrypt occupies threads of libuv's pool, which file reads also need. */
const concurrency = 1;
const maxWaiting = 10;

/** Limits the rate and the cost of login attempts (rule OPS-30). */
@Injectable()
export class LoginRateLimiter {
  private readonly clients: TokenBuckets;
  private readonly all: TokenBuckets;
  private readonly comparisons = new PQueue({ concurrency });

  constructor(
    clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.clients = new TokenBuckets(clock, maxClients);
    this.all = new TokenBuckets(clock, 1);
  }

  async attempt(address: string, password: string): Promise<'right' | 'wrong' | 'too many'> {
    const { OPS_PASSWORD: expected } = this.environment;
    if (expected === undefined) return 'wrong';
    if (this.comparisons.size >= maxWaiting) return 'too many';
    if (this.clients.take(addressRangeOf(address), perClient) < 0) return 'too many';
    if (this.all.take('all', allClients) < 0) return 'too many';
    const isRight = await this.comparisons.add(() => isPassword(password, expected));
    return isRight ? 'right' : 'wrong';
  }
}
