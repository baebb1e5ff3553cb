import { durationBounds } from '../../core/http/server/request-metrics.js';

const bucketFields = [...durationBounds.map((seconds) => `ms${1_000 * seconds}`), 'slower'];

/**
 * Counts all calls, calls with status 4xx, calls with 5xx, long polls, and lead requests (rule OPS-37). The buckets
 * count calls other than long polls by latency.
 */
export const countFields = [
  'calls',
  'refused',
  'failed',
  'polls',
  'leads',
  'mostlyIgnored',
  ...bucketFields,
];

/** Keyed by a field of {@link countFields}, or by the path of a code. */
export type Counts = Record<string, number>;

/** Returns the path of a code's count. Stored field names must not have dots. */
export function codeField(code: string): string {
  return `codes.${code.replaceAll('.', ':')}`;
}

/** @param field name of a field of `codes` */
export function codeOf(field: string): string {
  return field.replaceAll(':', '.');
}

export type CallSummary = ReturnType<typeof summaryOf>;

/** @param milliseconds null for a long poll */
export function countCall(counts: Counts, status: number, milliseconds: number | null): void {
  const bucket = durationBounds.findIndex((seconds) => (milliseconds ?? 0) <= 1_000 * seconds);
  const field = milliseconds === null ? 'polls' : (bucketFields.at(bucket) ?? '');
  addCounts(counts, { calls: 1, [field]: 1 });
  if (status >= 400) addCounts(counts, { [status < 500 ? 'refused' : 'failed']: 1 });
}

export function addCounts(to: Counts, from: Readonly<Counts>): void {
  for (const [field, count] of Object.entries(from)) to[field] = (to[field] ?? 0) + count;
}

export function summaryOf(counts: Readonly<Counts>) {
  const { calls = 0, refused = 0, failed = 0, polls = 0, leads = 0, mostlyIgnored = 0 } = counts;
  return {
    calls,
    /** Long polls are excluded from the latency buckets. */
    polls,
    refused,
    failed,
    /** Null if all calls were long polls. */
    medianMs: quantileMs(counts, 0.5),
    p95Ms: quantileMs(counts, 0.95),
    /** Accepted lead requests, and those of which at least half of the fields were ignored (rule OPS-37). */
    leads,
    mostlyIgnored,
  };
}

/** Assumes that latencies are evenly distributed within a bucket. */
function quantileMs(counts: Readonly<Counts>, share: number): number | null {
  const targetCount = share * ((counts['calls'] ?? 0) - (counts['polls'] ?? 0));
  if (targetCount === 0) return null;
  let passed = 0;
  let lower = 0;
  for (const [index, seconds] of durationBounds.entries()) {
    const count = counts[bucketFields[index] ?? ''] ?? 0;
    const upper = 1_000 * seconds;
    if (count > 0 && passed + count >= targetCount) {
      return lower + ((upper - lower) * (targetCount - passed)) / count;
    }
    passed += count;
    lower = upper;
  }
  return lower;
}
