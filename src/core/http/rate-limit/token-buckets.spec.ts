import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TokenBuckets } from './token-buckets.js';

it('TokenBuckets allows at most the burst and the refill', () => {
  const limits = fc.record({
    rps: fc.integer({ min: 1, max: 50 }),
    burst: fc.integer({ min: 1, max: 50 }),
  });
  const steps = fc.array(fc.integer({ min: -2_000, max: 2_000 }), { maxLength: 100 });
  fc.assert(
    fc.property(limits, steps, (limit, waits) => {
      let now = 0;
      const buckets = new TokenBuckets({ now: () => new Date(now) }, 10);
      const grantedAt: number[] = [];
      let elapsed = 0;
      for (const wait of waits) {
        now += wait;
        elapsed += Math.max(0, wait);
        const hasToken = buckets.hasToken('id', limit, 0);
        const tokensLeft = buckets.take('id', limit);
        expect(tokensLeft >= 0).toBe(hasToken);
        if (tokensLeft >= 0) grantedAt.push(elapsed);
      }
      for (const [first, from] of grantedAt.entries()) {
        for (const [count, until] of grantedAt.slice(first).entries()) {
          const allowed = limit.burst + ((until - from) * limit.rps) / 1_000;
          expect(count + 1).toBeLessThanOrEqual(allowed + 1e-6);
        }
      }
    }),
  );
});

it('TokenBuckets evicts the least recently used bucket beyond the maximum', () => {
  const buckets = new TokenBuckets({ now: () => new Date(0) }, 2);
  const limit = { rps: 1, burst: 1 };
  expect(['a', 'b', 'a', 'c', 'b', 'b'].map((id) => buckets.take(id, limit))).toEqual([
    0, 0, -1, 0, 0, -1,
  ]);
  expect(buckets.size).toBe(2);
});
