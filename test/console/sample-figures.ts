import { type Db, type Document, ObjectId } from 'mongodb';

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

/** Stores what processes would have counted in four weeks: hours, and the minutes of the last day. */
export async function addFigures(
  db: Db,
  keys: readonly SampleKey[],
  now = Date.now(),
  instances = 1,
): Promise<void> {
  const current = now - (now % hourMs);
  const hours = Array.from({ length: 28 * 24 }, (_, index) => current - (28 * 24 - index) * hourMs);
  const documents: Document[] = hours.map((at) => hourOf(new Date(at), keys));
  const minutes = Array.from(
    { length: 24 * 60 },
    (_, index) => now - (now % minuteMs) - (24 * 60 - 1 - index) * minuteMs,
  );
  for (const at of minutes) {
    for (let instance = 0; instance < instances; instance++) {
      documents.push(minuteOf(new Date(at), `sample-${instance}`, keys, at < current));
    }
  }
  const collection = db.collection('callFigures');
  for (let index = 0; index < documents.length; index += 500) {
    await collection.insertMany(documents.slice(index, index + 500));
  }
}

function hourOf(at: Date, keys: readonly SampleKey[]) {
  const callers = keys.flatMap((key) => callersOf(key, at, 1));
  return {
    ...common('hour', at, callers),
    instance: null,
    keys: keys.flatMap(({ keyId, organizationId, calls, refused = 0 }) => {
      const count = calls(at);
      if (count === 0) return [];
      return [{ keyId, organizationId, calls: count, failed: Math.round(count * refused) }];
    }),
  };
}

function minuteOf(at: Date, instance: string, keys: readonly SampleKey[], rolledUp: boolean) {
  const hour = new Date(at.getTime() - (at.getTime() % hourMs));
  // More at some minutes than at others.
  const share = (1 + 0.4 * Math.sin(at.getTime() / minuteMs)) / 60;
  const callers = keys.flatMap((key) => callersOf(key, hour, share));
  return { ...common('minute', at, callers), instance, rolledUp };
}

function common(span: string, at: Date, callers: ReturnType<typeof callersOf>) {
  const sum = (lists: readonly (readonly number[])[], length: number) =>
    Array.from({ length }, (_, index) =>
      lists.reduce((total, list) => total + (list[index] ?? 0), 0),
    );
  const total = {
    statuses: sum(
      callers.map(({ statuses }) => statuses),
      5,
    ),
    buckets: sum(
      callers.map(({ buckets }) => buckets),
      12,
    ),
    milliseconds: 0,
  };
  const deliveries = { delivered: callers.length, failed: at.getUTCMinutes() % 7 === 0 ? 1 : 0 };
  const days = span === 'minute' ? 30 : 400;
  const expiresAt = new Date(at.getTime() + days * 24 * hourMs);
  return { _id: new ObjectId(), span, at, total, callers, deliveries, storedAt: at, expiresAt };
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
