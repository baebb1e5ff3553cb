import { dayMs, hourMs, minuteMs, weekMs } from '../../core/values/time.js';

export const timeSteps = {
  quarter: { ms: 15 * minuteMs, count: 96 },
  hour: { ms: hourMs, count: 7 * 24 },
  day: { ms: dayMs, count: 56 },
  week: { ms: weekMs, count: 52 },
} as const;

export type TimeStep = keyof typeof timeSteps;

/** 5 January 1970: weeks begin on Monday in UTC. */
const firstMonday = 4 * dayMs;

export function startOf(step: TimeStep, time: number): number {
  return time - ((time - firstMonday) % timeSteps[step].ms);
}

/** Includes the current step. */
export function stepsUntil(step: TimeStep, now: number): number[] {
  const { ms, count } = timeSteps[step];
  const last = startOf(step, now);
  return Array.from({ length: count + 1 }, (_, index) => last - (count - index) * ms);
}
