import { dayMs, hourMs, minuteMs } from '../../core/values/time.js';

export const quarterHourMs = 15 * minuteMs;

/** Each range ends with the current step; `unit` and `binSize` are those of `$dateTrunc`. */
export const chartRanges = {
  day: { stepMs: quarterHourMs, steps: 96, unit: 'minute', binSize: 15 },
  week: { stepMs: hourMs, steps: 7 * 24, unit: 'hour', binSize: 1 },
  month: { stepMs: dayMs, steps: 28, unit: 'day', binSize: 1 },
} as const;

export type ChartRange = keyof typeof chartRanges;

/** Returns the start in UTC, in milliseconds since 1970. */
export function startOfStep(stepMs: number, time: number): number {
  return time - (time % stepMs);
}

/** Returns the start of each step in milliseconds since 1970, the oldest first. */
export function stepsUntil(range: ChartRange, now: number): number[] {
  const { stepMs, steps } = chartRanges[range];
  const last = startOfStep(stepMs, now);
  return Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * stepMs);
}
