import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClientSession } from 'mongodb';
import { Types } from 'mongoose';
import type { Environment } from '../../src/core/configuration/environment.js';
import { cacheLifetimeMs, FreshCache } from '../../src/core/cache/fresh-cache.js';
import { withSession } from '../../src/core/database/transactions/sessions.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { cacheMetrics } from '../operations/metrics-text.js';
import { rounds } from '../support/rounds.js';

const mebibyte = 2 ** 20;
const own = new Types.ObjectId();

let cache: FreshCache;
let metrics: Metrics;
/** Later than the start of the process, as any time of a real clock. */
let now: number;

function start(maxBytes = 64 * mebibyte): void {
  metrics = new Metrics();
  cache = new FreshCache({ RESPONSE_CACHE_BYTES: maxBytes } as Environment, metrics);
  now = 1_000_000;
  cache.now = () => now;
}
beforeEach(() => start());

/** The events of a database with one value and of its cache. */
type Step =
  | { readonly kind: 'read'; readonly key: Key }
  | { readonly kind: 'own' | 'failed' | 'foreign'; readonly isStored: boolean }
  | { readonly kind: 'time'; readonly milliseconds: number };
type Key = 'part' | 'response' | 'both' | 'documents';

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      key: fc.constantFrom<Key>('part', 'response', 'both', 'documents'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom<'own' | 'failed' | 'foreign'>('own', 'failed', 'foreign', 'foreign'),
      isStored: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      // Mostly so much that parts are used again, and what is made of them too long after.
      milliseconds: fc.oneof(fc.nat({ max: 50 }), fc.integer({ min: 300, max: 1_100 })),
    }),
  },
);

/** When a value was written, and from when on every read has to see it. */
interface Write {
  readonly value: number;
  readonly at: number;
  readonly isOwn: boolean;
}

describe('FreshCache under any interleaving', () => {
  it('never returns a value older than one second or than an own write', async () => {
    const property = fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { minLength: 5, maxLength: 40 }),
      async (scheduler, steps) => {
        start();
        let stored = 0;
        const writes: Write[] = [];
        /** Takes a while, before the server reads and after. */
        const query = async () => {
          await scheduler.schedule(Promise.resolve(), 'query');
          const value = stored;
          await scheduler.schedule(Promise.resolve(), 'result');
          return value;
        };
        const readers: Record<Key, () => Promise<number>> = {
          part: () => cache.get(own, 'part', query),
          response: () => cache.get(own, 'response', readers.part),
          both: () =>
            cache.get(own, 'both', async () => Math.min(await readers.part(), await query())),
          documents: async () => {
            const load = async () => new Map([['id', await query()]]);
            return (await cache.getAll(own, 'documents', ['id'], load)).get('id') ?? -1;
          },
        };
        const read = async (key: Key) => {
          const [startedAt, known] = [now, writes.length];
          const value = await readers[key]();
          const due = writes
            .slice(0, known)
            .filter(({ isOwn, at }) => isOwn || at < startedAt - cacheLifetimeMs);
          expect(value).toBeGreaterThanOrEqual(Math.max(0, ...due.map((write) => write.value)));
        };
        const write = async (kind: 'own' | 'failed' | 'foreign', isStored: boolean) => {
          await scheduler.schedule(Promise.resolve(), 'command');
          if (kind !== 'failed' || isStored) stored += 1;
          const value = stored;
          const storedAt = now;
          await scheduler.schedule(Promise.resolve(), 'acknowledgement');
          if (kind !== 'foreign') cache.invalidate(own);
          writes.push({ value, at: storedAt, isOwn: kind !== 'foreign' });
        };
        const run = async () => {
          const all: Promise<unknown>[] = [];
          for (const next of steps) {
            await scheduler.schedule(Promise.resolve(), next.kind);
            if (next.kind === 'time') now += next.milliseconds;
            else if (next.kind === 'read') all.push(read(next.key));
            else all.push(write(next.kind, next.isStored));
          }
          await Promise.all(all);
        };
        await scheduler.waitFor(run());
      },
    );
    await fc.assert(property, { numRuns: rounds(500, 5_000) });
  });
});

describe('a cache entry', () => {
  const made = (key: string, value: string) => cache.get(own, key, async () => value);

  it('is as old as its oldest part', async () => {
    await made('inner', 'old');
    await cache.getAll(own, 'documents', ['id'], async () => new Map([['id', 'old']]));
    now += 600;
    await cache.get(own, 'middle', () => made('inner', 'new'));
    await cache.get(own, 'outer', () => made('middle', 'new'));
    await cache.get(own, 'list', async () =>
      (await cache.getAll(own, 'documents', ['id'], async () => new Map())).get('id'),
    );
    now += 400;
    expect([await made('outer', 'new'), await made('list', 'new')]).toEqual(['old', 'old']);
    now += 1;
    expect([await made('outer', 'new'), await made('list', 'new')]).toEqual(['new', 'new']);
  });

  it('is not shared with a read that began a second after its oldest part was read', async () => {
    await made('inner', 'old');
    now += 900;
    const { promise: isSlow, resolve: end } = Promise.withResolvers<void>();
    const outer = (value: string) =>
      cache.get(own, 'outer', async () => {
        const inner = await made('inner', value);
        await isSlow;
        return inner;
      });
    const first = outer('new');
    now += 101;
    const later = [outer('new'), outer('newer')];
    end();
    expect(await Promise.all([first, ...later])).toEqual(['old', 'new', 'new']);
  });

  it('belongs to one organization, and stores that a document is missing', async () => {
    await made('key', 'own');
    expect(await cache.get(new Types.ObjectId(), 'key', async () => 'other')).toBe('other');
    let loads = 0;
    const load = async () => {
      loads += 1;
      return new Map();
    };
    for (let times = 1; times <= 2; times++) {
      expect(await cache.getAll(own, 'documents', ['gone'], load)).toEqual(new Map());
    }
    expect(loads).toBe(1);
  });

  it('is neither used nor stored in a transaction or a snapshot', async () => {
    await made('key', 'cached');
    await cache.getAll(own, 'documents', ['id'], async () => new Map([['id', 'cached']]));
    const session = {} as ClientSession;
    const inSession = <T>(read: () => Promise<T>) => withSession(session, read);
    const document = new Map([['id', 'own']]);
    expect(await inSession(() => made('key', 'own'))).toBe('own');
    expect(
      await inSession(() => cache.getAll(own, 'documents', ['id'], async () => document)),
    ).toBe(document);
    expect(await made('key', 'new')).toBe('cached');
  });
});

describe('the memory of FreshCache', () => {
  it('stays within its limit', async () => {
    const maxBytes = 4 * mebibyte;
    start(maxBytes);
    for (let index = 0; index < 400; index++) {
      const key = `${index} ${'x'.repeat(10_000)}`;
      const body = Buffer.alloc(100_000);
      await cache.get(own, key, async () => body, { bytesOf: ({ length }) => length });
      await cache.get(own, `text ${key}`, async () => 'x'.repeat(1_000));
      const { bytes } = await cacheMetrics(metrics);
      expect(bytes).toBeLessThanOrEqual(maxBytes);
    }
    const { bytes, evictions, entries } = await cacheMetrics(metrics);
    expect(bytes).toBeGreaterThan(maxBytes / 2);
    expect(evictions).toBeGreaterThan(300);
    await cache.get(own, 'too large', async () => 'x'.repeat(maxBytes / 8));
    expect(await cacheMetrics(metrics)).toMatchObject({ bytes, evictions, entries });
  });

  it('drops every entry within one second', async () => {
    cache.now = () => performance.now();
    await cache.get(own, 'key', async () => 'value');
    expect((await cacheMetrics(metrics)).entries).toBe(1);
    const end = performance.now() + 10 * cacheLifetimeMs;
    while ((await cacheMetrics(metrics)).entries > 0 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await cacheMetrics(metrics)).toMatchObject({ entries: 0, bytes: 0, evictions: 0 });
  });

  it('drops the entries of an organization when 10,000 others have written since', async () => {
    const read = (organization: Types.ObjectId, value: string) =>
      cache.get(organization, 'key', async () => value);
    const writer = new Types.ObjectId();
    await read(writer, 'old');
    cache.invalidate(writer);
    await read(own, 'old');
    for (let other = 0; other < 10_000; other++) cache.invalidate(new Types.ObjectId());
    expect([await read(own, 'new'), await read(writer, 'new')]).toEqual(['new', 'new']);
  });

  it('is not used when the setting is 0', async () => {
    start(0);
    let makes = 0;
    for (let times = 1; times <= 2; times++) await cache.get(own, 'key', async () => (makes += 1));
    expect(makes).toBe(2);
    expect(await cacheMetrics(metrics)).toMatchObject({ hits: 0, entries: 0, bytes: 0 });
  });
});
