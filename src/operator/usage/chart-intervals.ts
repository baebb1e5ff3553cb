import { dayMs, hourMs, minuteMs, weekMs } from '../../core/values/time.js';

export const chartIntervals = {
  quarter: { ms: 15 * minuteMs, count: 96 },
  hour: { ms: hourMs, count: 7 * 24 },
  day: { ms: dayMs, count: 56 },
  week: { ms: weekMs, count: 52 },
} as const;

export type ChartInterval = keyof typeof chartIntervals;

/** 5 January 1970: weeks begin on Monday in UTC. */
const firstMonday = 4 * dayMs;

export function startOf(span: ChartInterval, time: number): number {
  return time - ((time - firstMonday) % chartIntervals[span].ms);
}

/** Includes the current interval. */
export function intervalStartsUntil(span: ChartInterval, now: number): number[] {
  const { ms, count } = chartIntervals[span];
  const last = startOf(span, now);
  return Array.from({ length: count + 1 }, (_, index) => last - (count - index) * ms);
}
