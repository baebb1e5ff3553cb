// Creates usage statistics of four weeks, as processes count them, for keys that call every route in every quarter.
import { startOf, chartIntervals } from '../../dist/operator/usage/chart-intervals.js';
import { idOf, sizes } from './names.mjs';

const days = 28;
const routes = ['POST /leads', 'GET /units', 'GET /compounds', 'GET /events'];
const countsOfRoute = { calls: 10, refused: 1, ms5: 7, ms10: 2, ms25: 1 };
const countEveryHour = (count) =>
  Object.fromEntries(Array.from({ length: 7 * 24 }, (_, hour) => [hour, count]));
const hoursOfWeek = { callsByHour: countEveryHour(160), errorsByHour: countEveryHour(16) };

/** Fills the statistics of some keys of the large organization, which exist only here. */
export async function loadUsage(db, now) {
  const { usageKeys: keyCount } = sizes;
  const organizationId = idOf('organization', 0);
  const keys = Array.from({ length: keyCount }, (_, number) => idOf('apiKey', 1_000_000 + number));
  await db.collection('apiKeys').insertMany(
    keys.map((_id, number) => {
      const [name, hash] = [`Partner ${number}`, String(_id)];
      const fields = { permissions: { allowExternal: true }, createdAt: now, updatedAt: now };
      return { _id, organizationId, name, hash, ...fields };
    }),
  );
  const countsOfKey = multiplied(countsOfRoute, routes.length);
  const quarter = {
    ...multiplied(countsOfKey, keyCount),
    keys: Object.fromEntries(keys.map((_id) => [String(_id), countsOfKey])),
    routes: Object.fromEntries(
      routes.map((route) => [encodeURIComponent(route), multiplied(countsOfRoute, keyCount)]),
    ),
  };
  await db
    .collection('usageStats')
    .insertMany([
      ...spansOf('quarter', now).map((at) => ({ ...at, ...quarter })),
      ...spansOf('hour', now).map((at) => ({ ...at, ...multiplied(countsOfKey, 4 * keyCount) })),
      ...spansOf('day', now).map((at) => ({ ...at, ...multiplied(countsOfKey, 96 * keyCount) })),
      ...spansOf('week', now).flatMap((at) =>
        keys.map((keyId) => ({ ...at, keyId, ...hoursOfWeek })),
      ),
    ]);
}

function multiplied(counts, factor) {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count * factor]));
}

function spansOf(span, now) {
  const { ms } = chartIntervals[span];
  const length = Math.ceil((days * chartIntervals.day.ms) / ms) + 1;
  return Array.from({ length }, (_, index) => {
    const at = startOf(span, now.getTime()) - index * ms;
    const expiresAt = new Date(at + 400 * chartIntervals.day.ms);
    return { span, at: new Date(at), keyId: null, expiresAt };
  });
}
