import { hourMs } from '../../core/values/time.js';
import { startOf } from './chart-intervals.js';

/**
 * `silent`: calls have stopped; `failing`: many more calls than usual are rejected or fail; `busier`, `quieter`: at
 * least three times or at most a third of the usual daily calls; `new`: no baseline yet.
 */
export type TrafficState = 'silent' | 'failing' | 'busier' | 'quieter' | 'new' | 'usual';

export type TrafficBaseline = ReturnType<typeof baselineOf>;

const hoursOfDay = 24;
const hoursOfWeek = 7 * hoursOfDay;
const windowHours = 4 * hoursOfWeek;
export const baselineWindowMs = windowHours * hourMs;

const minHours = hoursOfWeek;
const minMissedCalls = 5;
/** A silence counts if it exceeds all earlier ones by this factor. */
const minSilenceRatio = 1.5;
/** Unusual traffic differs by this factor and by a minimum number of calls. */
const unusualFactor = 3;
const unusualCalls = 50;
const failingShare = 0.2;
const minErrors = 10;

export class HourlyCallCounts {
  readonly calls = new Float64Array(windowHours + 1);
  readonly errors = new Float64Array(windowHours + 1);
  readonly begin: number;

  constructor(now: number) {
    this.begin = now - (now % hourMs) - baselineWindowMs;
  }

  add(at: number, calls: number, errors: number): void {
    const index = (at - this.begin) / hourMs;
    if (this.calls[index] === undefined || this.errors[index] === undefined) return;
    this.calls[index] += calls;
    this.errors[index] += errors;
  }
}

/** Compares recent calls with the baseline of the time before (rule OPS-33). */
export function baselineOf(counts: HourlyCallCounts) {
  const { week, lastHour, ...facts } = trafficFacts(counts);
  return {
    state: stateOf(facts),
    /** Mean calls of each of the 168 hours of a week, from Monday 00:00 UTC. */
    week,
    lastHour,
    calls: facts.calls,
    errors: facts.errors,
    /** Null without a baseline. */
    usualCalls: facts.hasBaseline ? Math.round(facts.usualCalls) : null,
    /** Number of calls expected since the last call. */
    missedCalls: Math.round(facts.missedCalls),
  };
}

function trafficFacts({ begin, calls, errors }: HourlyCallCounts) {
  const firstHour = hourOfWeek(begin);
  const hourAt = (index: number) => (firstHour + index) % hoursOfWeek;
  const first = calls.findIndex((count) => count > 0);
  const last = calls.findLastIndex((count) => count > 0);
  const week = meanByHour(calls, hourAt, first, Math.min(last + 1, windowHours));
  const day = windowHours + 1 - hoursOfDay;
  const usualOfDay = meanByHour(calls, hourAt, first, Math.min(day, last + 1));
  return {
    week,
    lastHour: new Date(begin + last * hourMs),
    hasBaseline: last - first + 1 >= minHours,
    silentHours: windowHours - last,
    longestSilenceHours: longestSilenceHours(calls, first, last),
    missedCalls: sum(last + 1, windowHours, (index) => week[hourAt(index)]),
    calls: sum(day, windowHours + 1, (index) => calls[index]),
    errors: sum(day, windowHours + 1, (index) => errors[index]),
    usualCalls: sum(day, windowHours + 1, (index) => usualOfDay[hourAt(index)]),
    usualErrors: sum(first, day, (index) => errors[index]),
    earlierCalls: sum(first, day, (index) => calls[index]),
  };
}

type TrafficFacts = Omit<ReturnType<typeof trafficFacts>, 'week' | 'lastHour'>;

function stateOf(facts: TrafficFacts): TrafficState {
  const { calls, usualCalls, errors } = facts;
  const isFailing = errors >= minErrors && errors > failingShare * calls;
  const usualShare = facts.earlierCalls === 0 ? 0 : facts.usualErrors / facts.earlierCalls;
  if (!facts.hasBaseline) return isFailing ? 'failing' : 'new';
  const isLongest = facts.silentHours > minSilenceRatio * facts.longestSilenceHours;
  if (facts.missedCalls >= minMissedCalls && isLongest) return 'silent';
  if (isFailing && errors > unusualFactor * usualShare * calls) return 'failing';
  const difference = Math.abs(calls - usualCalls);
  if (difference < unusualCalls) return 'usual';
  if (calls > unusualFactor * usualCalls) return 'busier';
  return unusualFactor * calls < usualCalls ? 'quieter' : 'usual';
}

function meanByHour(
  calls: Float64Array,
  hourAt: (index: number) => number,
  from: number,
  before: number,
): number[] {
  const sums = Array.from({ length: hoursOfWeek }, () => 0);
  const counts = [...sums];
  for (let index = from; index < before; index++) {
    const hour = hourAt(index);
    sums[hour] = (sums[hour] ?? 0) + (calls[index] ?? 0);
    counts[hour] = (counts[hour] ?? 0) + 1;
  }
  return sums.map((total, hour) => total / Math.max(1, counts[hour] ?? 0));
}

function longestSilenceHours(calls: Float64Array, first: number, last: number): number {
  let longest = 1;
  let since = first;
  for (let index = first; index <= last; index++) {
    if ((calls[index] ?? 0) === 0) continue;
    longest = Math.max(longest, index - since);
    since = index;
  }
  return longest;
}

export function hourOfWeek(time: number): number {
  return Math.floor((time - startOf('week', time)) / hourMs);
}

function sum(from: number, before: number, value: (index: number) => number | undefined): number {
  let total = 0;
  for (let index = from; index < before; index++) total += value(index) ?? 0;
  return total;
}
