import { expect, it } from '@jest/globals';
import { startOf, intervalStartsUntil, type ChartInterval } from './chart-intervals.js';

/** This is a Wednesday. */
const now = Date.UTC(2026, 10, 25, 12, 37, 5);

it.each<[ChartInterval, string, string]>([
  ['quarter', '2026-11-25T12:30:00.000Z', '2026-11-24T12:30:00.000Z'],
  ['hour', '2026-11-25T12:00:00.000Z', '2026-11-18T12:00:00.000Z'],
  ['day', '2026-11-25T00:00:00.000Z', '2026-09-30T00:00:00.000Z'],
  ['week', '2026-11-23T00:00:00.000Z', '2025-11-24T00:00:00.000Z'],
])(
  'intervalStartsUntil returns the start of each %s in UTC, the last at %s and the first at %s',
  (span, last, first) => {
    const times = intervalStartsUntil(span, now).map((time) => new Date(time).toISOString());
    expect([times.at(-1), times[0]]).toEqual([last, first]);
    expect(new Date(startOf(span, now)).toISOString()).toBe(last);
  },
);
