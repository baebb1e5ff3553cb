import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addCounts,
  CallTable,
  callsOf,
  countCall,
  errorsOf,
  noCalls,
  quantileMs,
} from './call-counts.js';

const call = fc.record({
  status: fc.integer({ min: 100, max: 599 }),
  milliseconds: fc.integer({ min: 0, max: 12_000 }),
});
const counted = (calls: readonly { status: number; milliseconds: number }[]) => {
  const counts = noCalls();
  for (const { status, milliseconds } of calls) countCall(counts, status, milliseconds);
  return counts;
};

it('counts every call once, by its status and its time', () => {
  fc.assert(
    fc.property(fc.array(call), fc.array(call), (one, other) => {
      const both = counted([...one, ...other]);
      const sum = counted(one);
      addCounts(sum, counted(other));
      expect(sum).toEqual(both);
      expect(callsOf(both)).toBe(one.length + other.length);
      expect(both.buckets.reduce((a, b) => a + b)).toBe(callsOf(both));
      expect(errorsOf(both)).toBe([...one, ...other].filter(({ status }) => status >= 400).length);
    }),
  );
});

it('gives quantiles within the range that holds them', () => {
  const counts = counted(
    [4, 8, 8, 8, 8, 8, 8, 8, 8, 800].map((ms) => ({ status: 200, milliseconds: ms })),
  );
  expect(quantileMs(counts, 0.5)).toBeGreaterThan(5);
  expect(quantileMs(counts, 0.5)).toBeLessThanOrEqual(10);
  expect(quantileMs(counts, 0.95)).toBeGreaterThan(500);
  expect(quantileMs(counts, 0.95)).toBeLessThanOrEqual(1_000);
  expect(quantileMs(counted([{ status: 200, milliseconds: 60_000 }]), 0.5)).toBe(10_000);
  expect(quantileMs(noCalls(), 0.5)).toBeNull();
});

it('tells so many callers apart and counts the others together, none is lost', () => {
  const table = new CallTable(10);
  for (let turn = 0; turn < 2; turn++) {
    for (let key = 0; key < 30; key++) {
      countCall(table.of({ keyId: `key-${key}`, organizationId: 'o', route: 'GET /x' }), 200, 1);
    }
  }
  const all = table.all();
  expect(all).toHaveLength(10);
  expect(all[0]).toMatchObject({ keyId: null, route: 'other' });
  expect(all.map(callsOf)).toEqual([42, ...Array.from({ length: 9 }, () => 2)]);
});
