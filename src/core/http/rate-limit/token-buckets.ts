import type { RateLimit } from '../requests/request-caller.js';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../configuration/clock.js';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Beyond the maximum, the least recently used bucket is dropped, so its key starts with a full one (rule HTTP-22). */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(
    private readonly clock: Clock,
    max: number,
  ) {
    this.buckets = new LRUCache({ max });
  }

  get size(): number {
    return this.buckets.size;
  }

  /** @returns the number of whole tokens left; -1 if none could be taken */
  take(id: string, limit: RateLimit): number {
    const bucket = this.filled(id, limit);
    if (bucket.tokens < 1) return -1;
    bucket.tokens -= 1;
    return Math.floor(bucket.tokens);
  }

  /** @param reservedTokens number of tokens that running requests may still take */
  hasToken(id: string, limit: RateLimit, reservedTokens: number): boolean {
    const tokens = this.buckets.has(id) ? this.filled(id, limit).tokens : limit.burst;
    return tokens - reservedTokens >= 1;
  }

  private filled(id: string, { rps, burst }: RateLimit): Bucket {
    const now = this.clock.now().getTime();
    let bucket = this.buckets.get(id);
    if (bucket === undefined) {
      bucket = { tokens: burst, filledAt: now };
      this.buckets.set(id, bucket);
      return bucket;
    }
    // The system clock may jump backwards.
    const milliseconds = Math.max(0, now - bucket.filledAt);
    bucket.tokens = Math.min(burst, bucket.tokens + (milliseconds * rps) / 1_000);
    bucket.filledAt = now;
    return bucket;
  }
}
