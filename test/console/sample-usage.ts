import { type Db, type Document, ObjectId } from 'mongodb';
import { type Counts, sumOf } from '../../src/operator/usage/call-counts.js';
import {
  startOf,
  chartIntervals,
  type ChartInterval,
} from '../../src/operator/usage/chart-intervals.js';
import { hourOfWeek } from '../../src/operator/usage/traffic-baseline.js';

const quarterMs = chartIntervals.quarter.ms;
const hourMs = chartIntervals.hour.ms;

export interface SampleKey {
  readonly keyId: ObjectId;
  /** Returns the number of calls in the hour that starts then. */
  readonly calls: (hour: Date) => number;
  /** The share of rejected calls, from 0 to 1. */
  readonly refused?: number;
}

const routes = ['POST /leads', 'GET /units', 'GET /compounds', 'POST /reservations/callback'];
/** The share of each latency bucket. The rest belongs to `ms5`. */
const shares = { ms10: 0.25, ms25: 0.15, ms50: 0.08, ms100: 0.04, ms250: 0.03 };

/**
 * Stores four weeks of calls per key, as processes count them. The current hour is included, or keys would
 * become silent if it ended during a test.
 */
export async function addKeyWeeks(
  db: Db,
  keys: readonly SampleKey[],
  now = Date.now(),
): Promise<void> {
  const hours = timesBefore(startOf('hour', now) + hourMs, 28 * 24 + 1, hourMs);
  await db.collection('usageStats').insertMany(weeksOf(keys, hours));
}

/** Stores four weeks of calls per key and in total, as processes count them. */
export async function addUsage(
  db: Db,
  keys: readonly SampleKey[],
  now = Date.now(),
): Promise<void> {
  await addKeyWeeks(db, keys, now);
  const spans = [
    ['quarter', 7 * 24 * 4],
    ['hour', 28 * 24],
    ['day', 28],
  ] as const;
  const documents = spans.flatMap(([span, count]) => {
    const end = startOf(span, now) + chartIntervals[span].ms;
    return timesBefore(end, count, chartIntervals[span].ms).map((at) =>
      totalOf(span, at, keys, now),
    );
  });
  // The service may already have counted calls in the same spans, so these are replaced.
  await db.collection('usageStats').bulkWrite(
    documents.map(({ _id, ...document }: Document) => {
      const filter = { span: document['span'], at: document['at'], keyId: null };
      return { replaceOne: { filter, replacement: document, upsert: true } };
    }),
  );
}

function timesBefore(end: number, count: number, step: number): number[] {
  return Array.from({ length: count }, (_, index) => end - (count - index) * step);
}

function weeksOf(keys: readonly SampleKey[], hours: readonly number[]): Document[] {
  const weeks = Map.groupBy(hours, (hour) => startOf('week', hour));
  return keys.flatMap(({ keyId, calls, refused = 0 }) =>
    [...weeks].flatMap(([week, hoursOfWeek]) => {
      const counted = hoursOfWeek
        .map((hour) => [hourOfWeek(hour), calls(new Date(hour))] as const)
        .filter(([, count]) => count > 0);
      if (counted.length === 0) return [];
      const errors = counted.map(([hour, count]) => [hour, Math.round(count * refused)] as const);
      const callsByHour = Object.fromEntries(counted);
      const errorsByHour = Object.fromEntries(errors);
      return [{ ...commonFields('week', week, 36), keyId, route: null, callsByHour, errorsByHour }];
    }),
  );
}

/** Sums the elapsed part of a quarter, an hour or a day. */
function totalOf(
  span: Exclude<ChartInterval, 'week'>,
  at: number,
  keys: readonly SampleKey[],
  now: number,
): Document {
  const length = Math.min(chartIntervals[span].ms, now - at);
  const quarters = timesBefore(at + length, Math.max(1, Math.round(length / quarterMs)), quarterMs);
  const parts = keys.flatMap((key) =>
    routes.map((route, index) => ({
      keys: key.keyId.toHexString(),
      routes: encodeURIComponent(route),
      counts: sumOf(quarters.map((time) => countsOf(key, index, time))),
    })),
  );
  const total = (of: typeof parts) => sumOf(of.map(({ counts }) => counts));
  const sums = (name: 'keys' | 'routes') => {
    const named = [...Map.groupBy(parts, (part) => part[name])];
    return Object.fromEntries(named.map(([each, of]) => [each, total(of)]));
  };
  return {
    ...commonFields(span, at, 400),
    ...total(parts),
    delivered: 12 * quarters.length,
    undelivered: quarters.filter((time) => (time / quarterMs) % 7 < 1).length,
    ...(span === 'quarter' ? { keys: sums('keys'), routes: sums('routes') } : {}),
  };
}

/** Returns the counts of one quarter. They vary, so that charts are not flat. */
function countsOf({ calls, refused = 0 }: SampleKey, route: number, at: number) {
  const share = (1 + 0.4 * Math.sin(at / quarterMs)) / 4;
  const count = Math.round((calls(new Date(startOf('hour', at))) * share) / (route + 1));
  const buckets = Object.entries(shares).map(([name, part]) => [name, Math.round(part * count)]);
  const slower: Counts = Object.fromEntries(buckets);
  const ms5 = count - Object.values(slower).reduce((sum, part) => sum + part, 0);
  return { calls: count, refused: Math.round(count * refused), ms5, ...slower } satisfies Counts;
}

function commonFields(span: string, at: number, days: number) {
  const expiresAt = new Date(at + days * 24 * hourMs);
  return { _id: new ObjectId(), span, at: new Date(at), keyId: null, expiresAt };
}
