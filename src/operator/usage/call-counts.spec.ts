import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addCounts, countCall, countFields, type Counts, summaryOf } from './call-counts.js';

const call = fc.record({
  status: fc.integer({ min: 100, max: 599 }),
  milliseconds: fc.option(fc.integer({ min: 0, max: 12_000 })),
});
const countsOf = (calls: readonly { status: number; milliseconds: number | null }[]) => {
  const counts: Counts = {};
  for (const { status, milliseconds } of calls) countCall(counts, status, milliseconds);
  return counts;
};
const latencies = (...milliseconds: (number | null)[]) =>
  summaryOf(countsOf(milliseconds.map((ms) => ({ status: 200, milliseconds: ms }))));

it('countCall counts every call once, by status and by latency or long poll', () => {
  fc.assert(
    fc.property(fc.array(call), fc.array(call), (one, other) => {
      const both = countsOf([...one, ...other]);
      const sum = countsOf(one);
      addCounts(sum, countsOf(other));
      expect(sum).toEqual(both);
      const { calls = 0, refused: _refused, failed: _failed, ...buckets } = both;
      expect(Object.values(buckets).reduce((a, b) => a + b, 0)).toBe(calls);
      expect(Object.keys(both).filter((field) => !countFields.includes(field))).toEqual([]);
      const withStatusFrom = (status: number) =>
        [...one, ...other].filter((each) => each.status >= status).length;
      expect(summaryOf(both)).toMatchObject({
        calls: withStatusFrom(100),
        refused: withStatusFrom(400) - withStatusFrom(500),
        failed: withStatusFrom(500),
      });
    }),
  );
});

it('summaryOf returns quantiles within the bucket that contains them', () => {
  const { medianMs, p95Ms } = latencies(4, 8, 8, 8, 8, 8, 8, 8, 8, 800);
  expect(medianMs).toBeGreaterThan(5);
  expect(medianMs).toBeLessThanOrEqual(10);
  expect(p95Ms).toBeGreaterThan(500);
  expect(p95Ms).toBeLessThanOrEqual(1_000);
  expect(latencies(10.1).medianMs).toBeGreaterThan(10);
  expect(latencies(60_000).medianMs).toBe(10_000);
  expect(latencies().medianMs).toBeNull();
});

it('summaryOf excludes long polls from the latency', () => {
  expect(latencies(4, null, null, null)).toEqual({ ...latencies(4), calls: 4, polls: 3 });
  expect(latencies(null).medianMs).toBeNull();
});
