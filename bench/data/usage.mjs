// Usage statistics of four weeks, as processes count them: of keys that call every route in every quarter.
import { ObjectId } from 'mongodb';
import { startOf, timeSteps } from '../../dist/operator/usage/time-steps.js';
import { idOf } from './names.mjs';

const days = 28;
const routes = ['POST /leads', 'GET /units', 'GET /compounds', 'GET /events'];
const ofRoute = { calls: 10, refused: 1, ms5: 7, ms10: 2, ms25: 1 };

/** Fills the statistics of some keys of the large organization, which exist only here. */
export async function loadUsage(db, keyCount) {
  const now = Date.now();
  const organizationId = idOf('organization', 0);
  const keys = Array.from({ length: keyCount }, (_, number) => idOf('apiKey', 1_000_000 + number));
  const times = { createdAt: new Date(now), updatedAt: new Date(now) };
  await db.collection('apiKeys').insertMany(
    keys.map((_id, number) => {
      const [name, hash] = [`Partner ${number}`, _id.toHexString()];
      return { _id, organizationId, name, hash, permissions: { allowExternal: true }, ...times };
    }),
  );
  const quarter = allRoutes(ofRoute, keyCount);
  const byKey = Object.fromEntries(keys.map((_id) => [_id.toHexString(), allRoutes(ofRoute, 1)]));
  const byRoute = Object.fromEntries(
    routes.map((route) => [encodeURIComponent(route), multiplied(ofRoute, keyCount)]),
  );
  const documents = [
    ...spansOf('quarter', now).map((at) => ({ ...at, ...quarter, keys: byKey, routes: byRoute })),
    ...spansOf('hour', now).map((at) => ({ ...at, ...multiplied(quarter, 4) })),
    ...spansOf('day', now).map((at) => ({ ...at, ...multiplied(quarter, 96) })),
    ...spansOf('week', now).flatMap((at) => keys.map((keyId) => ({ ...at, keyId, hours: week }))),
  ];
  await db
    .collection('usageStats')
    .insertMany(documents.map((document) => ({ _id: new ObjectId(), ...document })));
}

const week = Object.fromEntries(
  Array.from({ length: 7 * 24 }, (_, hour) => [hour, { calls: 160, errors: 16 }]),
);

/** All routes of a number of keys. */
function allRoutes(counts, keyCount) {
  return multiplied(counts, routes.length * keyCount);
}

function multiplied(counts, factor) {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count * factor]));
}

function spansOf(span, now) {
  const { ms } = timeSteps[span];
  const count = Math.ceil((days * timeSteps.day.ms) / ms) + 1;
  return Array.from({ length: count }, (_, index) => {
    const at = startOf(span, now) - index * ms;
    return {
      span,
      at: new Date(at),
      keyId: null,
      expiresAt: new Date(at + 400 * timeSteps.day.ms),
    };
  });
}
