import { Inject, Injectable } from '@nestjs/common';
import PQueue from 'p-queue';
import { clientAt } from '../../../tenants/keys/client-address.js';
import { Clock } from '../../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../../core/configuration/environment.js';
import { type RateLimit, TokenBuckets } from '../../../core/http/rate-limit/token-buckets.js';
import { isPassword } from '../../../core/values/password-hash.js';

/** How many addresses are counted; of more at a time those that tried longest ago start anew. */
const maxClients = 10_000;

/** Of one address: five at once, then one in half a minute. */
const perClient: RateLimit = { rps: 1 / 30, burst: 5 };
/** Of all together: whoever has many addresses gets no further than somebody with a few. */
const altogether: RateLimit = { rps: 1 / 3, burst: 50 };

/** A password is compared in a thread that file names are looked up in, too: one at a time. */
const concurrency = 1;
const maxWaiting = 10;

/** What became of a try; one too many is not looked at. */
export type TryOutcome = 'right' | 'wrong' | 'too many';

/** Tries to log in, which are limited and cost the service little (rule OPS-30). */
@Injectable()
export class LoginTries {
  private readonly clients: TokenBuckets;
  private readonly all: TokenBuckets;
  private readonly comparing = new PQueue({ concurrency });

  constructor(
    clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.clients = new TokenBuckets(clock, maxClients);
    this.all = new TokenBuckets(clock, 1);
  }

  /** How many addresses are counted now. */
  stats(): { readonly clients: number } {
    return { clients: this.clients.size };
  }

  /** Compares a password, unless the address, or all together, have tried too often. */
  async try(address: string, password: string): Promise<TryOutcome> {
    const { OPS_PASSWORD: expected } = this.environment;
    if (expected === undefined) return 'wrong';
    if (this.comparing.size >= maxWaiting) return 'too many';
    if (this.clients.take(clientAt(address), perClient) < 0) return 'too many';
    if (this.all.take('all', altogether) < 0) return 'too many';
    const isRight = await this.comparing.add(() => isPassword(password, expected));
    return isRight ? 'right' : 'wrong';
  }
}
