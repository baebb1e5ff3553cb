import { dayMs, hourMs, minuteMs, weekMs } from '../../core/values/durations.js';

/** Statistics are shown, and those of calls stored, by these lengths of time. */
export const timeSteps = {
  quarter: { ms: 15 * minuteMs, count: 96 },
  hour: { ms: hourMs, count: 7 * 24 },
  day: { ms: dayMs, count: 56 },
  week: { ms: weekMs, count: 52 },
} as const;

export type TimeStep = keyof typeof timeSteps;

/** 5 January 1970, so that a week begins on Monday (UTC); quarters, hours and days begin as the clock shows. */
const firstMonday = 4 * dayMs;

/** When the step of a time begins, both in milliseconds since 1970. */
export function startOf(step: TimeStep, time: number): number {
  return time - ((time - firstMonday) % timeSteps[step].ms);
}

/** When the steps up to a time begin: the last one is under way. */
export function stepsUntil(step: TimeStep, now: number): number[] {
  const { ms, count } = timeSteps[step];
  const last = startOf(step, now);
  return Array.from({ length: count + 1 }, (_, index) => last - (count - index) * ms);
}
