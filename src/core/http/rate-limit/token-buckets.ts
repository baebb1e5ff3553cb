import { LRUCache } from 'lru-cache';
import type { Clock } from '../../configuration/clock.js';

/** How much may come at once, and how quickly more is allowed; an `rps` of 0 is no limit. */
export interface RateLimit {
  /** Requests a second. */
  readonly rps: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  /** In milliseconds since 1970. */
  filledAt: number;
}

/**
 * Token buckets by an id, each full at first (rule HTTP-22). Those that were not asked for longest are
 * forgotten beyond a number, and so are full again.
 */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(
    private readonly clock: Clock,
    max: number,
  ) {
    this.buckets = new LRUCache({ max });
  }

  /** How many buckets are kept. */
  get size(): number {
    return this.buckets.size;
  }

  /**
   * Takes a token.
   *
   * @returns how many whole ones are left; -1 when there was none to take
   */
  take(id: string, limit: RateLimit): number {
    const bucket = this.filled(id, limit);
    if (bucket.tokens < 1) return -1;
    bucket.tokens -= 1;
    return Math.floor(bucket.tokens);
  }

  /** Whether there is a token to take, beside some that others are about to take. */
  hasToken(id: string, limit: RateLimit, spokenFor: number): boolean {
    const tokens = this.buckets.has(id) ? this.filled(id, limit).tokens : limit.burst;
    return tokens - spokenFor >= 1;
  }

  private filled(id: string, { rps, burst }: RateLimit): Bucket {
    const now = this.clock.now().getTime();
    let bucket = this.buckets.get(id);
    if (bucket === undefined) {
      bucket = { tokens: burst, filledAt: now };
      this.buckets.set(id, bucket);
      return bucket;
    }
    // A clock that was set back adds nothing.
    const milliseconds = Math.max(0, now - bucket.filledAt);
    bucket.tokens = Math.min(burst, bucket.tokens + (milliseconds * rps) / 1_000);
    bucket.filledAt = now;
    return bucket;
  }
}
