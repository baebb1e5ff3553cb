import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Types } from 'mongoose';
import {
  cacheLifetimeMs,
  type CachedResponse,
  TenantCache,
} from '../../src/core/cache/tenant-cache.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { cacheMetrics } from '../operations/metrics-text.js';
import { rounds } from '../support/rounds.js';

const organization = new Types.ObjectId();
const response = (text: string): CachedResponse => ({
  headers: {},
  tag: '',
  bytes: text.length,
  body: () => Buffer.from(text),
});

function newCache(bytes = 1_048_576) {
  const metrics = new Metrics();
  const environment = readEnvironment({ NODE_ENV: 'test', RESPONSE_CACHE_BYTES: String(bytes) });
  const cache = new TenantCache(environment, metrics);
  let now = 1;
  cache.now = () => now;
  return { cache, passTime: (ms: number) => (now += ms), stats: () => cacheMetrics(metrics) };
}

/** Loads that a test ends one by one. */
function heldLoads() {
  const loads: PromiseWithResolvers<CachedResponse>[] = [];
  const load = () => {
    const held = Promise.withResolvers<CachedResponse>();
    loads.push(held);
    return held.promise;
  };
  return { loads, load };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a load that fails', () => {
  it('is repeated once, not by each caller that waits, and its own caller gets the error', async () => {
    const { cache } = newCache();
    const { loads, load } = heldLoads();
    const waiters = Array.from({ length: 101 }, () => cache.fetch(organization, 'list', load));
    const results = Promise.allSettled(waiters);
    await turn();
    expect(loads).toHaveLength(1);
    loads[0]?.reject(new Error('no primary'));
    await turn();
    expect(loads).toHaveLength(2);
    loads[1]?.resolve(response('fresh'));
    const [first, ...others] = await results;
    expect(first).toMatchObject({ status: 'rejected' });
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
    expect(loads).toHaveLength(2);
  });

  it('fails everybody when its repetition fails, too', async () => {
    const { cache } = newCache();
    let loads = 0;
    const load = async () => {
      loads++;
      await turn();
      throw new Error('down');
    };
    const all = await Promise.allSettled(
      Array.from({ length: 50 }, () => cache.fetch(organization, 'list', load)),
    );
    expect(all.every(({ status }) => status === 'rejected')).toBe(true);
    expect(loads).toBe(2);
  });
});

describe('a response', () => {
  it('never began to load more than a second before it was asked for', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('read' as const), key: fc.constantFrom('a', 'b') }),
      fc.record({ kind: fc.constant('end' as const), index: fc.nat(5) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(1_500) }),
      fc.record({ kind: fc.constant('write' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { cache, passTime } = newCache();
        let written = 0;
        const running: (() => void)[] = [];
        const reads: Promise<void>[] = [];
        const load = () => {
          const seen = { at: cache.now(), written };
          return new Promise<CachedResponse>((resolve) =>
            running.push(() => resolve(response(JSON.stringify(seen)))),
          );
        };
        const read = async (key: string) => {
          const asked = { at: cache.now(), written };
          const found = await cache.fetch(organization, key, load);
          const seen = JSON.parse(String(await found?.body())) as typeof asked;
          expect(asked.at - seen.at).toBeLessThanOrEqual(cacheLifetimeMs);
          // A write of this instance shows at once.
          expect(seen.written).toBeGreaterThanOrEqual(asked.written);
        };
        for (const one of steps) {
          if (one.kind === 'read') reads.push(read(one.key));
          else if (one.kind === 'wait') passTime(one.ms);
          else if (one.kind === 'end') running.splice(one.index, 1)[0]?.();
          else {
            written++;
            cache.invalidate(organization);
          }
          await turn();
        }
        const all = Promise.all(reads);
        for (let rest = 0; rest < 50; rest++) {
          for (const end of running.splice(0)) end();
          await turn();
        }
        await all;
      }),
      { numRuns: rounds(100, 5_000) },
    );
  });

  it('is never that of another organization', async () => {
    const { cache } = newCache();
    const other = new Types.ObjectId();
    await cache.fetch(organization, 'list', async () => response('own'));
    const found = await cache.fetch(other, 'list', async () => response('other'));
    expect(String(await found?.body())).toBe('other');
  });

  it('is loaded by each caller when it cannot be shared', async () => {
    const { cache, stats } = newCache();
    const load = async () => undefined;
    for (let times = 0; times < 2; times++) {
      expect(await cache.fetch(organization, 'stream', load)).toBeUndefined();
    }
    expect(await stats()).toMatchObject({ hits: 0, misses: 2 });
  });

  it('that cannot be shared may take longer than the lifetime of an entry', async () => {
    const metrics = new Metrics();
    const environment = readEnvironment({ NODE_ENV: 'test' });
    const cache = new TenantCache(environment, metrics);
    const load = async () => {
      // The library removes the entry of a running load after the lifetime.
      await delay(cacheLifetimeMs + 200);
      return undefined;
    };
    expect(await cache.fetch(organization, 'slow stream', load)).toBeUndefined();
  });

  it('takes no more memory than RESPONSE_CACHE_BYTES, one of them at most an eighth', async () => {
    const limit = 100_000;
    const { cache, stats } = newCache(limit);
    for (let index = 0; index < 200; index++) {
      await cache.fetch(organization, `list ${index}`, async () => response('x'.repeat(5_000)));
      expect((await stats()).bytes).toBeLessThanOrEqual(limit);
    }
    const { entries, evictions } = await stats();
    expect(entries).toBeGreaterThan(5);
    expect(entries + evictions).toBe(200);
    const large = async () => response('x'.repeat(limit / 8));
    await cache.fetch(organization, 'large', large);
    expect((await stats()).misses).toBe(201);
    await cache.fetch(organization, 'large', large);
    expect((await stats()).misses).toBe(202);
  });
});
