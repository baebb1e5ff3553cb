import { hourMs } from '../../core/values/durations.js';
import { startOf } from './time-steps.js';

/**
 * What is unusual about a key. `silent`: its calls have stopped, compared with its own baseline; `failing`:
 * far more of its calls than usual are refused or fail; `busier`, `quieter`: its last day has three
 * times the calls that are usual, or a third of them; `new`: it is too new to have a baseline.
 */
export type KeyState = 'silent' | 'failing' | 'busier' | 'quieter' | 'new' | 'usual';

/** How a key is used, by its calls of the last four weeks. */
export interface TrafficBaseline {
  readonly state: KeyState;
  /** The mean of the calls by hour of the week, Monday 00:00 UTC first: 168. */
  readonly week: readonly number[];
  /** When the last hour with calls began. */
  readonly lastHour: Date;
  /** In the last 24 hours. */
  readonly calls: number;
  readonly errors: number;
  /** How many calls are usual in these 24 hours; null while there is no baseline. */
  readonly usualCalls: number | null;
  /** How many calls would have been usual since the last one. */
  readonly missedCalls: number;
}

const hoursOfDay = 24;
const hoursOfWeek = 7 * hoursOfDay;
/** In hours. */
const window = 4 * hoursOfWeek;
/** What a baseline is learnt from. */
export const baselineWindowMs = window * hourMs;

/** Less than a week is no baseline. */
const leastHours = hoursOfWeek;
/** A silence has to have cost so many calls that are usual, or it may be chance. */
const leastMissed = 5;
/** And to be longer by this factor than any silence before it. */
const longerThanEver = 1.5;
/** What counts as many or few: by this factor, and by so many calls. */
const unusualFactor = 3;
const unusualCalls = 50;
const failingShare = 0.2;
const leastErrors = 10;

/** The calls of a key in the hours of the last four weeks, oldest first, the current one last. */
export class HourlyCallCounts {
  readonly calls = new Float64Array(window + 1);
  readonly errors = new Float64Array(window + 1);
  /** When the first hour begins. */
  readonly begin: number;

  /** @param now in milliseconds since 1970 */
  constructor(now: number) {
    this.begin = now - (now % hourMs) - baselineWindowMs;
  }

  /**
   * Adds calls; those of another time are left out.
   *
   * @param at when their hour begins, in milliseconds since 1970
   */
  add(at: number, calls: number, errors: number): void {
    const index = (at - this.begin) / hourMs;
    if (this.calls[index] === undefined || this.errors[index] === undefined) return;
    this.calls[index] += calls;
    this.errors[index] += errors;
  }
}

/**
 * What the hours of a key say of it (rule OPS-33). The baseline is learnt from the time before the time that
 * is compared with it.
 *
 * @param hours with calls in one of them at least
 */
export function baselineOf(counts: HourlyCallCounts): TrafficBaseline {
  const { week, lastHour, ...facts } = factsOf(counts);
  return {
    state: stateOf(facts),
    week,
    lastHour,
    calls: facts.calls,
    errors: facts.errors,
    usualCalls: facts.hasBaseline ? Math.round(facts.usualCalls) : null,
    missedCalls: Math.round(facts.missedCalls),
  };
}

function factsOf({ begin, calls, errors }: HourlyCallCounts) {
  const firstHour = hourOfWeek(begin);
  const hourAt = (index: number) => (firstHour + index) % hoursOfWeek;
  const first = calls.findIndex((count) => count > 0);
  const last = calls.findLastIndex((count) => count > 0);
  const week = meanByHour(calls, hourAt, first, Math.min(last + 1, window));
  const day = window + 1 - hoursOfDay;
  const usualOfDay = meanByHour(calls, hourAt, first, Math.min(day, last + 1));
  return {
    week,
    lastHour: new Date(begin + last * hourMs),
    hasBaseline: last - first + 1 >= leastHours,
    silentHours: window - last,
    longestSilence: longestSilence(calls, first, last),
    missedCalls: sum(last + 1, window, (index) => week[hourAt(index)]),
    calls: sum(day, window + 1, (index) => calls[index]),
    errors: sum(day, window + 1, (index) => errors[index]),
    usualCalls: sum(day, window + 1, (index) => usualOfDay[hourAt(index)]),
    usualErrors: sum(first, day, (index) => errors[index]),
    earlierCalls: sum(first, day, (index) => calls[index]),
  };
}

type Facts = Omit<ReturnType<typeof factsOf>, 'week' | 'lastHour'>;

function stateOf(facts: Facts): KeyState {
  const { calls, usualCalls, errors } = facts;
  const isFailing = errors >= leastErrors && errors > failingShare * calls;
  const usualShare = facts.earlierCalls === 0 ? 0 : facts.usualErrors / facts.earlierCalls;
  if (!facts.hasBaseline) return isFailing ? 'failing' : 'new';
  const isLongest = facts.silentHours > longerThanEver * facts.longestSilence;
  if (facts.missedCalls >= leastMissed && isLongest) return 'silent';
  if (isFailing && errors > unusualFactor * usualShare * calls) return 'failing';
  const difference = Math.abs(calls - usualCalls);
  if (difference < unusualCalls) return 'usual';
  if (calls > unusualFactor * usualCalls) return 'busier';
  return unusualFactor * calls < usualCalls ? 'quieter' : 'usual';
}

/** The mean calls by hour of the week, from an hour on and before another one. */
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

/** In hours, between two hours with calls. */
function longestSilence(calls: Float64Array, first: number, last: number): number {
  let longest = 1;
  let since = first;
  for (let index = first; index <= last; index++) {
    if ((calls[index] ?? 0) === 0) continue;
    longest = Math.max(longest, index - since);
    since = index;
  }
  return longest;
}

/** Which hour of the week a time in milliseconds since 1970 is in, Monday 00:00 UTC being 0. */
export function hourOfWeek(time: number): number {
  return Math.floor((time - startOf('week', time)) / hourMs);
}

function sum(from: number, before: number, value: (index: number) => number | undefined): number {
  let total = 0;
  for (let index = from; index < before; index++) total += value(index) ?? 0;
  return total;
}
