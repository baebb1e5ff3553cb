import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rounds } from '../support/rounds.js';
import { type CursorQuery, follow, type List } from '../../clients/typescript/src/index.js';

interface Item {
  readonly _id: string;
  readonly isDeleted: boolean;
  readonly updatedAt?: string;
  readonly version?: number;
}

/** Returns a list with these pages, and the queries that it receives. */
function listOf(...pages: { items: Item[]; next: string | null; mark?: string }[]) {
  const queries: CursorQuery[] = [];
  const list: List<Item> = ({ query = {} }) => {
    const { items = [], next = null, mark } = pages[queries.length] ?? {};
    queries.push(query);
    const pagination = { count: items.length, limit: 100, pages: 1, total: items.length, next };
    const headers = new Headers(mark === undefined ? {} : { 'x-updated-as-of': mark });
    return Promise.resolve({ data: { data: items, pagination }, headers });
  };
  return { list, asked: queries };
}

const item = (_id: string, isDeleted = false): Item => ({ _id, isDeleted });

describe('follow', () => {
  it('reads everything, then changes since each mark, and ends with the signal', async () => {
    const { list, asked: queries } = listOf(
      { items: [item('a'), item('b')], next: 'c1' },
      { items: [item('c')], next: null, mark: 'm1' },
      { items: [item('b', true), item('d')], next: null, mark: 'm2' },
      { items: [], next: null, mark: 'm3' },
    );
    const controller = new AbortController();
    const pauses: number[] = [];
    const seen: unknown[] = [];
    const following = async () => {
      const sleep = (milliseconds: number) => {
        pauses.push(milliseconds);
        if (pauses.length < 3) return Promise.resolve();
        controller.abort(new Error('Enough'));
        return Promise.reject(new Error('Woken'));
      };
      const { signal } = controller;
      for await (const changes of follow(list, { pauseMs: 60_000, signal, sleep })) {
        seen.push(changes);
      }
    };
    await expect(following()).rejects.toThrow('Enough');
    expect(pauses).toEqual([60_000, 60_000, 60_000]);
    expect(queries).toEqual([
      { limit: 100, after: '0' },
      { limit: 100, after: 'c1' },
      { limit: 100, updatedSince: 'm1', includeDeleted: 1 },
      { limit: 100, updatedSince: 'm2', includeDeleted: 1 },
    ]);
    expect(seen).toEqual([
      { current: [item('a'), item('b')], removedIds: [], mark: null },
      { current: [item('c')], removedIds: [], mark: 'm1' },
      { current: [item('d')], removedIds: ['b'], mark: 'm2' },
      { current: [], removedIds: [], mark: 'm3' },
    ]);
  });

  it('continues from a stored mark', async () => {
    const { list, asked: queries } = listOf(
      { items: [], next: 'c1' },
      { items: [], next: null, mark: 'm2' },
    );
    const reading = follow(list, { since: 'm1', pauseMs: 0 });
    expect((await reading.next()).value).toMatchObject({ mark: null });
    expect((await reading.next()).value).toMatchObject({ mark: 'm2' });
    expect(queries).toEqual([
      { limit: 100, updatedSince: 'm1', includeDeleted: 1 },
      { limit: 100, updatedSince: 'm1', includeDeleted: 1, after: 'c1' },
    ]);
  });

  const steps = fc.array(
    fc.record({
      seconds: fc.integer({ min: 0, max: 90 }),
      does: fc.constantFrom('poll', 'poll', 'change', 'change a part', 'delete'),
      _id: fc.constantFrom('a', 'b', 'c', 'd'),
    }),
    { minLength: 5, maxLength: 60 },
  );

  it('yields each change once although marks are two minutes early', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        const service = serviceWithEarlyMarks(['a', 'b']);
        const versions: string[] = [];
        const copy = new Map<string, Item>();
        let removals = 0;
        const remaining = [...some, { seconds: 0, does: 'poll', _id: '' }];
        const controller = new AbortController();
        const sleep = async () => {
          for (let step = remaining.shift(); step !== undefined; step = remaining.shift()) {
            service.pass(step.seconds);
            if (step.does === 'poll') return;
            service.change(step._id, step.does);
          }
          controller.abort(new Error('Enough'));
          throw new Error('Woken');
        };
        const { signal } = controller;
        const following = async () => {
          for await (const changes of follow(service.list, { pauseMs: 1, signal, sleep })) {
            for (const one of changes.current) {
              versions.push(`${one._id} ${one.version}`);
              copy.set(one._id, one);
            }
            for (const id of changes.removedIds) copy.delete(id);
            removals += changes.removedIds.length;
          }
        };
        await expect(following()).rejects.toThrow('Enough');
        expect(versions).toEqual([...new Set(versions)]);
        expect(removals).toBeLessThanOrEqual(some.filter(({ does }) => does === 'delete').length);
        expect([...copy.values()].toSorted(byId)).toEqual(service.present().toSorted(byId));
      }),
      { numRuns: rounds(200, 2_000) },
    );
  });

  it('yields recent changes of a copy once when it is larger than the memory', async () => {
    const service = serviceWithEarlyMarks(Array.from({ length: 25_000 }, (_, index) => `${index}`));
    service.pass(3_600);
    for (let index = 0; index < 50; index += 1) service.change(String(index * 400), 'change');
    const controller = new AbortController();
    let polls = 0;
    const sleep = async () => {
      polls += 1;
      if (polls < 3) return;
      controller.abort(new Error('Enough'));
      throw new Error('Woken');
    };
    let count = 0;
    const following = async () => {
      const options = { pauseMs: 1, signal: controller.signal, sleep };
      for await (const { current } of follow(service.list, options)) count += current.length;
    };
    await expect(following()).rejects.toThrow('Enough');
    expect(count).toBe(25_000);
  });
});

const byId = (one: Item, other: Item) => one._id.localeCompare(other._id);

/** Lists the items of a service whose marks are two minutes early (rule HTTP-11). */
function serviceWithEarlyMarks(ids: readonly string[]) {
  let now = Date.parse('2030-01-01T00:00:00Z');
  let version = 0;
  /** The time is that of the last change of an item, or of a part that it shows. */
  const stored = new Map<string, { item: Item; at: number }>();
  const store = (_id: string, isDeleted: boolean, updatedAt = new Date(now).toISOString()) => {
    version += 1;
    stored.set(_id, { item: { _id, isDeleted, updatedAt, version }, at: now });
  };
  for (const id of ids) store(id, false);
  const list: List<Item> = ({ query = {} }) => {
    const since = query.updatedSince === undefined ? 0 : Date.parse(query.updatedSince);
    const all = [...stored.values()];
    const isCopy = query.updatedSince === undefined;
    const found = all
      .filter(({ item: one, at }) => at >= since && !(isCopy && one.isDeleted))
      .toSorted((one, other) => (isCopy ? 0 : one.at - other.at))
      .map(({ item: one }) => one);
    const size = Math.max(2, found.length / 20);
    const from = Number(query.after ?? 0);
    const next = from + size < found.length ? String(from + size) : null;
    const newest = Math.max(...all.map(({ at }) => at));
    const mark = new Date(Math.min(now - 121_000, newest + 1)).toISOString();
    const pagination = { count: size, limit: size, pages: 1, total: found.length, next };
    const headers = new Headers(next === null ? { 'x-updated-as-of': mark } : {});
    return Promise.resolve({ data: { data: found.slice(from, from + size), pagination }, headers });
  };
  return {
    list,
    pass: (seconds: number) => (now += seconds * 1_000),
    present: () => [...stored.values()].map(({ item: one }) => one).filter((one) => !one.isDeleted),
    change: (_id: string, does: string) => {
      const { item: before } = stored.get(_id) ?? {};
      if (does === 'change') store(_id, false);
      else if (before === undefined) return;
      else if (does === 'delete') store(_id, true);
      else if (!before.isDeleted) store(_id, false, before.updatedAt);
    },
  };
}
