import { type Db, type Document, ObjectId } from 'mongodb';
import { type Counts, sumOf } from '../../src/operator/usage/call-counts.js';
import { hourOfWeek, weekOf } from '../../src/operator/usage/traffic-baseline.js';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;

/** A key whose calls are made up. */
export interface SampleKey {
  readonly keyId: ObjectId;
  /** Its calls in the hour that begins at a time. */
  readonly calls: (hour: Date) => number;
  /** The share of these that are refused. */
  readonly refused?: number;
}

const routes = ['POST /leads', 'GET /units', 'GET /compounds', 'POST /reservations/callback'];
/** How latencies spread over the buckets. */
const spread = { ms5: 0.45, ms10: 0.25, ms25: 0.15, ms50: 0.08, ms100: 0.04, ms250: 0.03 };

/** Stores what processes would have counted of keys in four weeks. */
export async function addKeyWeeks(
  db: Db,
  keys: readonly SampleKey[],
  now = Date.now(),
): Promise<void> {
  const hours = timesBefore(now - (now % hourMs), 28 * 24, hourMs);
  await db.collection('usageStats').insertMany(weeksOf(keys, hours));
}

/** Stores what processes would have counted: keys over four weeks, and all calls of the last day. */
export async function addUsage(
  db: Db,
  keys: readonly SampleKey[],
  now = Date.now(),
): Promise<void> {
  await addKeyWeeks(db, keys, now);
  const minutes = timesBefore(now - (now % minuteMs) + minuteMs, 24 * 60, minuteMs);
  const quarters = timesBefore(now - (now % hourMs), 24 * 4, quarterMs);
  await db
    .collection('usageStats')
    .insertMany([
      ...minutes.map((at) => minuteOf(at, keys)),
      ...quarters.map((at) => quarterOf(at, keys)),
    ]);
}

function timesBefore(end: number, count: number, step: number): number[] {
  return Array.from({ length: count }, (_, index) => end - (count - index) * step);
}

function weeksOf(keys: readonly SampleKey[], hours: readonly number[]): Document[] {
  const weeks = Map.groupBy(hours, weekOf);
  return keys.flatMap(({ keyId, calls, refused = 0 }) =>
    [...weeks].flatMap(([week, ofWeek]) => {
      const counted = ofWeek
        .map((hour) => [hourOfWeek(hour), calls(new Date(hour))] as const)
        .filter(([, count]) => count > 0)
        .map(([hour, count]) => [hour, { calls: count, errors: Math.round(count * refused) }]);
      if (counted.length === 0) return [];
      const common = commonOf('week', week, 36);
      return [{ ...common, keyId, route: null, hours: Object.fromEntries(counted) }];
    }),
  );
}

function minuteOf(at: number, keys: readonly SampleKey[]): Document {
  // More at some minutes than at others.
  const share = (1 + 0.4 * Math.sin(at / minuteMs)) / 60;
  const counted = keys.flatMap((key) => routes.map((_, route) => countsOf(key, route, at, share)));
  return {
    ...commonOf('minute', at, 2),
    ...sumOf(counted),
    delivered: counted.length,
    undelivered: new Date(at).getUTCMinutes() % 7 === 0 ? 1 : 0,
  };
}

function quarterOf(at: number, keys: readonly SampleKey[]): Document {
  const sums = (of: (key: SampleKey, route: number) => string) => {
    const pairs = keys.flatMap((key) => routes.map((_, route) => ({ key, route })));
    const named = Map.groupBy(pairs, ({ key, route }) => of(key, route));
    return Object.fromEntries(
      [...named].map(([name, parts]) => [
        name,
        sumOf(parts.map(({ key, route }) => countsOf(key, route, at, 1 / 4))),
      ]),
    );
  };
  return {
    ...commonOf('quarter', at, 400),
    keys: sums(({ keyId }) => keyId.toHexString()),
    routes: sums((_, route) => encodeURIComponent(routes[route] ?? '')),
  };
}

function countsOf({ calls, refused = 0 }: SampleKey, route: number, at: number, share: number) {
  const count = Math.round((calls(new Date(at - (at % hourMs))) * share) / (route + 1));
  const buckets = Object.entries(spread).map(([name, part]) => [name, Math.round(part * count)]);
  const counts: Counts = { calls: count, refused: Math.round(count * refused) };
  return { ...counts, ...(Object.fromEntries(buckets) as Counts) };
}

function commonOf(span: string, at: number, days: number) {
  const expiresAt = new Date(at + days * 24 * hourMs);
  return { _id: new ObjectId(), span, at: new Date(at), keyId: null, expiresAt };
}
