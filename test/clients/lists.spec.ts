import { describe, expect, it } from '@jest/globals';
import { type CursorQuery, follow, type List } from '../../clients/typescript/src/index.js';

interface Item {
  readonly _id: string;
  readonly isDeleted: boolean;
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
});
