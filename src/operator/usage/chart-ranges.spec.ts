import { expect, it } from '@jest/globals';
import { type ChartRange, stepsUntil } from './chart-ranges.js';

const now = Date.UTC(2026, 10, 25, 12, 37, 5);

it.each<[ChartRange, number, string, string]>([
  ['day', 96, '2026-11-24T12:45:00.000Z', '2026-11-25T12:30:00.000Z'],
  ['week', 168, '2026-11-18T13:00:00.000Z', '2026-11-25T12:00:00.000Z'],
  ['month', 28, '2026-10-29T00:00:00.000Z', '2026-11-25T00:00:00.000Z'],
])('stepsUntil returns for a %s %d steps, the first at %s and the last at %s', (...row) => {
  const [range, count, first, last] = row;
  const steps = stepsUntil(range, now).map((time) => new Date(time).toISOString());
  expect([steps.length, steps[0], steps.at(-1)]).toEqual([count, first, last]);
});
