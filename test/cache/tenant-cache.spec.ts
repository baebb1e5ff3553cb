import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClientSession } from 'mongodb';
import { Types } from 'mongoose';
import type { Environment } from '../../src/core/configuration/environment.js';
import { cacheLifetimeMs, TenantCache } from '../../src/core/cache/tenant-cache.js';
import { withSession } from '../../src/core/database/transactions/sessions.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { cacheMetrics } from '../operations/metrics-text.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';

const mebibyte = 2 ** 20;
const ownId = new Types.ObjectId();

let cache: TenantCache;
let metrics: Metrics;
let now: number;

function start(maxBytes = 64 * mebibyte): void {
  metrics = new Metrics();
  cache = new TenantCache({ RESPONSE_CACHE_BYTES: maxBytes } as Environment, metrics);
  now = 1_000_000;
  cache.now = () => now;
}
beforeEach(() => start());

const keys = ['part', 'response', 'both', 'documents'] as const;
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('read' as const), key: fc.constantFrom(...keys) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('own' as const, 'failed' as const, 'foreign' as const),
      isStored: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      // These steps often exceed the lifetime of a response but not that of its parts.
      milliseconds: fc.oneof(fc.nat({ max: 50 }), fc.integer({ min: 300, max: 1_100 })),
    }),
  },
);

/** Simulates a database with one value and its cache. The scheduler orders the commands. */
function simulate(scheduler: fc.Scheduler) {
  start();
  let stored = 0;
  /** `isOwn` means that every later read must see the value. */
  const writes: { readonly value: number; readonly at: number; readonly isOwn: boolean }[] = [];
  /** Pauses before and after the read of the value, as a query does. */
  const query = async () => {
    await scheduler.schedule(Promise.resolve(), 'query');
    const value = stored;
    await scheduler.schedule(Promise.resolve(), 'result');
    return value;
  };
  const readers: Record<(typeof keys)[number], () => Promise<number>> = {
    part: () => cache.get(ownId, 'part', query),
    response: () => cache.get(ownId, 'response', readers.part),
    both: () => cache.get(ownId, 'both', async () => Math.min(await readers.part(), await query())),
    documents: async () => {
      const load = async () => new Map([['id', await query()]]);
      return (await cache.getAll(ownId, 'documents', ['id'], load)).get('id') ?? -1;
    },
  };
  const staleReads: string[] = [];
  return {
    staleReads,
    read: async (key: (typeof keys)[number]) => {
      const [startedAt, known] = [now, writes.length];
      const value = await readers[key]();
      const due = writes
        .slice(0, known)
        .filter(({ isOwn, at }) => isOwn || at < startedAt - cacheLifetimeMs);
      const newest = Math.max(0, ...due.map((write) => write.value));
      if (value < newest) staleReads.push(`${key}: ${value} instead of ${newest}`);
    },
    write: async (kind: 'own' | 'failed' | 'foreign', isStored: boolean) => {
      await scheduler.schedule(Promise.resolve(), 'command');
      if (kind !== 'failed' || isStored) stored += 1;
      const [value, at] = [stored, now];
      await scheduler.schedule(Promise.resolve(), 'acknowledgement');
      if (kind !== 'foreign') cache.invalidate(ownId);
      writes.push({ value, at, isOwn: kind !== 'foreign' });
    },
  };
}

const get = (key: string, value: string, organization = ownId) =>
  cache.get(organization, key, async () => value);

describe('TenantCache', () => {
  it('never returns a value older than one second or than an own write', async () => {
    const steps = fc.array(step, { minLength: 5, maxLength: 40 });
    const property = fc.asyncProperty(fc.scheduler(), steps, async (scheduler, list) => {
      const { read, write, staleReads } = simulate(scheduler);
      const run = async () => {
        const all: Promise<unknown>[] = [];
        for (const next of list) {
          await scheduler.schedule(Promise.resolve(), next.kind);
          if (next.kind === 'time') now += next.milliseconds;
          else all.push(next.kind === 'read' ? read(next.key) : write(next.kind, next.isStored));
        }
        await Promise.all(all);
      };
      await scheduler.waitFor(run());
      expect(staleReads).toEqual([]);
    });
    await fc.assert(property, { numRuns: rounds(500, 5_000) });
  });

  it('returns a value for one second from the read of its oldest part', async () => {
    const load = async () => new Map([['id', 'old']]);
    const document = async () => (await cache.getAll(ownId, 'documents', ['id'], load)).get('id');
    await get('inner', 'old');
    await document();
    now += 600;
    await cache.get(ownId, 'middle', () => get('inner', 'new'));
    await cache.get(ownId, 'outer', () => get('middle', 'new'));
    await cache.get(ownId, 'list', document);
    now += 400;
    expect([await get('outer', 'new'), await get('list', 'new')]).toEqual(['old', 'old']);
    now += 1;
    expect([await get('outer', 'new'), await get('list', 'new')]).toEqual(['new', 'new']);
  });

  it('returns a value only to its organization, and stores that a document is missing', async () => {
    await get('key', 'own');
    expect(await get('key', 'other', new Types.ObjectId())).toBe('other');
    await cache.getAll(ownId, 'documents', ['gone'], async () => new Map());
    const load = () => Promise.reject(new Error('loaded again'));
    expect(await cache.getAll(ownId, 'documents', ['gone'], load)).toEqual(new Map());
  });

  it('neither uses nor stores a value in a transaction or a snapshot', async () => {
    await get('key', 'cached');
    await cache.getAll(ownId, 'documents', ['id'], async () => new Map([['id', 'cached']]));
    const session = {} as ClientSession;
    const document = new Map([['id', 'own']]);
    const load = () => cache.getAll(ownId, 'documents', ['id'], async () => document);
    expect(await withSession(session, () => get('key', 'own'))).toBe('own');
    expect(await withSession(session, load)).toBe(document);
    expect(await get('key', 'new')).toBe('cached');
  });
});

describe('the memory of TenantCache', () => {
  it('stays within its limit', async () => {
    const maxBytes = 4 * mebibyte;
    start(maxBytes);
    for (let index = 0; index < 400; index++) {
      const key = `${index} ${'x'.repeat(10_000)}`;
      const body = Buffer.alloc(100_000);
      await cache.get(ownId, key, async () => body, { bytesOf: ({ length }) => length });
      await get(`text ${key}`, 'x'.repeat(1_000));
      expect((await cacheMetrics(metrics)).bytes).toBeLessThanOrEqual(maxBytes);
    }
    const { bytes, evictions, entries } = await cacheMetrics(metrics);
    expect(bytes).toBeGreaterThan(maxBytes / 2);
    expect(evictions).toBeGreaterThan(300);
    await get('too large', 'x'.repeat(maxBytes / 8));
    expect(await cacheMetrics(metrics)).toMatchObject({ bytes, evictions, entries });
  });

  it('drops every entry within one second', async () => {
    cache.now = () => performance.now();
    await get('key', 'value');
    expect((await cacheMetrics(metrics)).entries).toBe(1);
    await eventually(async () => {
      const none = { entries: 0, bytes: 0, evictions: 0 };
      expect(await cacheMetrics(metrics)).toMatchObject(none);
    }, 10 * cacheLifetimeMs);
  });

  it('drops the entries of an organization when 10,000 others have written since', async () => {
    const writer = new Types.ObjectId();
    await get('key', 'old', writer);
    cache.invalidate(writer);
    await get('key', 'old');
    for (let other = 0; other < 10_000; other++) cache.invalidate(new Types.ObjectId());
    expect([await get('key', 'new'), await get('key', 'new', writer)]).toEqual(['new', 'new']);
  });

  it('stays empty when RESPONSE_CACHE_BYTES is 0', async () => {
    start(0);
    expect([await get('key', 'one'), await get('key', 'two')]).toEqual(['one', 'two']);
    expect(await cacheMetrics(metrics)).toMatchObject({ hits: 0, entries: 0, bytes: 0 });
  });
});
