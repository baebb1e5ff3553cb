import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  historyCursor,
  type HistoryPosition,
  type HistoryQuery,
  parseHistoryCursor,
  readHistory,
} from './history.js';

interface Item {
  readonly id: number;
  readonly createdAt: Date;
}

/** What the database would give. */
function find(stored: readonly Item[], { until, options }: HistoryQuery): readonly Item[] {
  const latest = until.createdAt?.$lte.getTime() ?? Number.POSITIVE_INFINITY;
  return stored
    .filter(({ createdAt }) => createdAt.getTime() <= latest)
    .slice(options.skip, options.skip + options.limit);
}

describe('the parts of a history', () => {
  it('are together all of it, each once, however many were created at one time', () => {
    const times = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 30 });
    return fc.assert(
      fc.asyncProperty(times, fc.integer({ min: 1, max: 5 }), async (created, limit) => {
        const stored = created
          .toSorted((a, b) => b - a)
          .map((time, id): Item => ({ id, createdAt: new Date(time) }));
        const given: Item[] = [];
        let from: HistoryPosition | undefined;
        do {
          const page = await readHistory({ limit, from }, (query) =>
            Promise.resolve(find(stored, query)),
          );
          expect(page.items.length).toBeLessThanOrEqual(limit);
          given.push(...page.items);
          from = page.next === null ? undefined : parseHistoryCursor(historyCursor(page.next));
        } while (from !== undefined);
        expect(given).toEqual(stored);
      }),
    );
  });

  it('begin anew with what is no cursor', () => {
    for (const text of [
      undefined,
      '',
      '1',
      'x.1',
      '1.x',
      '-1.0',
      `${'9'.repeat(16)}.0`,
      '1.1234567',
    ]) {
      expect(parseHistoryCursor(text)).toBeUndefined();
    }
    const position = { at: new Date(1_700_000_000_000), skip: 3 };
    expect(parseHistoryCursor(historyCursor(position))).toEqual(position);
  });
});
