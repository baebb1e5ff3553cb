import { durationBounds } from '../../core/http/server/request-metrics.js';

const bucketFields = [...durationBounds.map((seconds) => `ms${1_000 * seconds}`), 'slower'];

/** All calls, those with a status from 400 to 499, from 500 on, long polls, and how many others took how long. */
export const countFields = ['calls', 'refused', 'failed', 'polls', ...bucketFields];

/** A number for each counted field, as it is added in memory and in the database; a missing one is 0. */
export type Counts = Record<string, number>;

/** By error code, without the dots, which a field's name must not have. */
export function codeField(code: string): string {
  return code.replaceAll('.', ':');
}

/** The codes among the counted fields, and how often each occurred. */
export function codesIn(counts: Readonly<Counts>): (readonly [code: string, count: number])[] {
  return Object.entries(counts)
    .filter(([field]) => field.includes(':'))
    .map(([field, count]) => [field.replaceAll(':', '.'), count] as const);
}

/** Calls, errors and latency for a reader. */
export interface CallSummary {
  readonly calls: number;
  /** Calls that wait for events: their time says nothing of the service, and is in no latency. */
  readonly polls: number;
  /** Calls with a status of 400 and above. */
  readonly errors: number;
  /** Calls with a status of 500 and above. */
  readonly failures: number;
  /** In milliseconds; null without calls other than long polls. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
  /** Of a key: accepted requests with leads, and those of them that were half understood (rule OPS-37). */
  readonly leads: number;
  readonly halfUnderstood: number;
}

/**
 * Counts one call.
 *
 * @param milliseconds null for a long poll
 */
export function countCall(counts: Counts, status: number, milliseconds: number | null): void {
  const bucket = durationBounds.findIndex((seconds) => (milliseconds ?? 0) <= 1_000 * seconds);
  const field = milliseconds === null ? 'polls' : (bucketFields.at(bucket) ?? '');
  addCounts(counts, { calls: 1, [field]: 1 });
  if (status >= 400) addCounts(counts, { [status < 500 ? 'refused' : 'failed']: 1 });
}

/** Adds each number of one to the other. */
export function addCounts(to: Counts, from: Readonly<Counts>): void {
  for (const [field, count] of Object.entries(from)) to[field] = (to[field] ?? 0) + count;
}

export function sumOf(all: Iterable<Readonly<Counts>>): Counts {
  const sum: Counts = {};
  for (const counts of all) addCounts(sum, counts);
  return sum;
}

export function summaryOf(counts: Readonly<Counts>): CallSummary {
  const { calls = 0, refused = 0, failed = 0, polls = 0, leads = 0, halfUnderstood = 0 } = counts;
  return {
    calls,
    polls,
    errors: refused + failed,
    failures: failed,
    medianMs: quantileMs(counts, 0.5),
    p95Ms: quantileMs(counts, 0.95),
    leads,
    halfUnderstood,
  };
}

/** Estimates a quantile in milliseconds: within a bucket, latencies count as evenly spread. */
function quantileMs(counts: Readonly<Counts>, share: number): number | null {
  const wanted = share * ((counts['calls'] ?? 0) - (counts['polls'] ?? 0));
  if (wanted === 0) return null;
  let passed = 0;
  let lower = 0;
  for (const [index, seconds] of durationBounds.entries()) {
    const count = counts[bucketFields[index] ?? ''] ?? 0;
    const upper = 1_000 * seconds;
    if (count > 0 && passed + count >= wanted) {
      return lower + ((upper - lower) * (wanted - passed)) / count;
    }
    passed += count;
    lower = upper;
  }
  // Longer ones are only known to be longer than the last bound.
  return lower;
}
