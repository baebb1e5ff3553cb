import { type Db, type Document, ObjectId } from 'mongodb';
import { addCounts, noCalls } from '../../src/operator/usage/call-counts.js';
import { hourOfWeek, weekOf } from '../../src/operator/usage/habits.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A key whose calls are made up. */
export interface SampleKey {
  readonly keyId: ObjectId;
  readonly organizationId: ObjectId;
  /** Its calls in the hour that begins at a time. */
  readonly calls: (hour: Date) => number;
  /** The share of these that are refused. */
  readonly refused?: number;
}

const routes = ['POST /leads', 'GET /units', 'GET /compounds', 'POST /reservations/callback'];
/** How calls spread over the ranges of time; the last ones are slow. */
const spread = [0.45, 0.25, 0.15, 0.08, 0.04, 0.02, 0.01, 0, 0, 0, 0, 0];

/**
 * Stores what processes would have counted in four weeks: hours and the weeks of keys, the minutes of the
 * last day, and its hours with these.
 */
export async function addFigures(
  db: Db,
  keys: readonly SampleKey[],
  now = Date.now(),
  instances = 1,
): Promise<void> {
  const current = now - (now % hourMs);
  const hours = Array.from({ length: 28 * 24 }, (_, index) => current - (28 * 24 - index) * hourMs);
  const documents: Document[] = [...weeksOf(keys, hours)];
  const minutes = Array.from(
    { length: 24 * 60 },
    (_, index) => now - (now % minuteMs) - (24 * 60 - 1 - index) * minuteMs,
  );
  for (const at of minutes) {
    for (let instance = 0; instance < instances; instance++) {
      documents.push(minuteOf(new Date(at), `sample-${instance}`, keys, at < current));
    }
  }
  const ofDay = Map.groupBy(documents, ({ at }) => Number(at) - (Number(at) % hourMs));
  for (const at of hours) documents.push(hourOf(new Date(at), keys, ofDay.get(at) ?? []));
  const collection = db.collection('callFigures');
  for (let index = 0; index < documents.length; index += 500) {
    await collection.insertMany(documents.slice(index, index + 500));
  }
}

function hourOf(at: Date, keys: readonly SampleKey[], minutes: readonly Document[]) {
  const callers = keys.flatMap((key) => callersOf(key, at, 1));
  const { _id, ...rest } = common('hour', at, callers);
  const ofKeys = keys.flatMap((key) => {
    const own = callersOf(key, at, 1);
    return own.length === 0 ? [] : [{ keyId: key.keyId, ...sumOf(own) }];
  });
  return {
    _id,
    ...rest,
    instance: null,
    until: new Date(at.getTime() + hourMs),
    keys: ofKeys,
    routes: routes.flatMap((route) => {
      const own = callers.filter((caller) => caller.route === route);
      return own.length === 0 ? [] : [{ route, ...sumOf(own) }];
    }),
    minutes: minutes
      .filter(({ span }) => span === 'minute')
      .map((minute) => ({
        at: minute['at'],
        total: minute['total'],
        deliveries: minute['deliveries'],
      })),
  };
}

function weeksOf(keys: readonly SampleKey[], hours: readonly number[]): Document[] {
  const weeks = Map.groupBy(hours, weekOf);
  return keys.flatMap(({ keyId, calls, refused = 0 }) =>
    [...weeks].flatMap(([week, ofWeek]) => {
      const counted = ofWeek
        .map((hour) => [hourOfWeek(hour), calls(new Date(hour))] as const)
        .filter(([, count]) => count > 0);
      if (counted.length === 0) return [];
      return {
        _id: new ObjectId(),
        span: 'week',
        at: new Date(week),
        instance: null,
        keyId,
        calls: Object.fromEntries(counted),
        failed: Object.fromEntries(
          counted.map(([hour, count]) => [hour, Math.round(count * refused)]),
        ),
        storedAt: new Date(),
        expiresAt: new Date(week + 36 * 24 * hourMs),
      };
    }),
  );
}

function minuteOf(at: Date, instance: string, keys: readonly SampleKey[], rolledUp: boolean) {
  const hour = new Date(at.getTime() - (at.getTime() % hourMs));
  // More at some minutes than at others.
  const share = (1 + 0.4 * Math.sin(at.getTime() / minuteMs)) / 60;
  const callers = keys.flatMap((key) => callersOf(key, hour, share));
  return { ...common('minute', at, callers), instance, rolledUp };
}

function common(span: string, at: Date, callers: ReturnType<typeof callersOf>) {
  const total = sumOf(callers);
  const deliveries = { delivered: callers.length, failed: at.getUTCMinutes() % 7 === 0 ? 1 : 0 };
  const days = span === 'minute' ? 30 : 400;
  const expiresAt = new Date(at.getTime() + days * 24 * hourMs);
  return { _id: new ObjectId(), span, at, total, callers, deliveries, storedAt: at, expiresAt };
}

function sumOf(callers: ReturnType<typeof callersOf>) {
  const sum = noCalls();
  for (const caller of callers) addCounts(sum, caller);
  return sum;
}

function callersOf(
  { keyId, organizationId, calls, refused = 0 }: SampleKey,
  hour: Date,
  share: number,
) {
  return routes.flatMap((route, index) => {
    const count = Math.round((calls(hour) * share) / (index + 1));
    if (count === 0) return [];
    const failed = Math.round(count * refused);
    return [
      {
        keyId,
        organizationId,
        route,
        statuses: [0, count - failed, 0, failed, 0],
        buckets: spread.map((part, range) => (range === 0 ? 0 : Math.round(part * count))),
        milliseconds: 12 * count,
      },
    ];
  });
}
