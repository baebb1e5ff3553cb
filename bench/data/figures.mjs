// Figures of calls as processes store them: four weeks by hour, the last day by minute.
import { ObjectId } from 'mongodb';
import { addCounts, CallSums, countCall, noCalls } from '../../dist/operator/usage/call-counts.js';
import { hourOfWeek, weekOf } from '../../dist/operator/usage/habits.js';
import { dayMs, hourMs, minuteMs } from '../../dist/core/values/durations.js';
import { insert } from './load.mjs';
import { hashOf, idOf } from './names.mjs';

const daysOfWeeks = 28;
const routes = ['POST /leads', 'GET /units', 'GET /compounds', 'POST /reservations/callback'];
const times = [3, 8, 20, 60, 150];

/** Fills the figures of the large organization with keys that all call every route every minute. */
export async function loadFigures(db, keyCount, now = Date.now()) {
  const organizationId = idOf('organization', 0);
  const keyIds = Array.from({ length: keyCount }, () => new ObjectId());
  await insert(
    db,
    'apiKeys',
    keyIds.map((_id, index) => ({
      _id,
      organizationId,
      name: `Partner ${index}`,
      prefix: `iapi_${String(index).padStart(6, '0')}`,
      hash: hashOf(`figures ${index}`),
      permissions: { allowExternal: true },
      revokedAt: null,
      lastUsedAt: new Date(now),
      createdAt: new Date(now),
      updatedAt: new Date(now),
    })),
  );
  const callers = keyIds.flatMap((keyId) =>
    routes.map((route) => ({ keyId, organizationId, route, ...countsOfMinute() })),
  );
  const current = now - (now % hourMs);
  const hours = range(daysOfWeeks * 24, (index) => current - (index + 1) * hourMs);
  const minutes = range(24 * 60, (index) => now - (now % minuteMs) - (index + 1) * minuteMs);
  await insert(
    db,
    'callFigures',
    minutes.map((at) => minuteOf(at, callers, at < current)),
  );
  await insert(
    db,
    'callFigures',
    hours.map((at) => hourOf(at, callers)),
  );
  await insert(db, 'callFigures', weeksOf(keyIds, hours));
}

function countsOfMinute() {
  const counts = noCalls();
  for (const [index, milliseconds] of times.entries()) {
    countCall(counts, index === times.length - 1 ? 422 : 200, milliseconds);
  }
  return counts;
}

function common(span, at, days) {
  const expiresAt = new Date(at + days * dayMs);
  return { _id: new ObjectId(), span, at: new Date(at), storedAt: new Date(at), expiresAt };
}

function minuteOf(at, callers, rolledUp) {
  return {
    ...common('minute', at, 30),
    instance: 'bench-0',
    rolledUp,
    total: sumOf(callers),
    callers,
    deliveries: { delivered: 10, failed: 1 },
  };
}

function hourOf(at, callers) {
  const ofHour = callers.map((caller) => ({ ...caller, ...sumOf(range(60, () => caller)) }));
  const sums = new CallSums();
  for (const caller of ofHour) sums.add(caller);
  const total = sumOf(callers);
  return {
    ...common('hour', at, 400),
    instance: null,
    until: new Date(at + hourMs),
    total: sumOf(ofHour),
    callers: ofHour,
    deliveries: { delivered: 600, failed: 60 },
    minutes: range(60, (minute) => ({
      at: new Date(at + minute * minuteMs),
      total,
      deliveries: { delivered: 10, failed: 1 },
    })),
    ...sums.all(),
  };
}

function weeksOf(keyIds, hours) {
  const callsOfHour = 60 * routes.length * times.length;
  const weeks = Map.groupBy(hours, weekOf);
  return [...weeks].flatMap(([week, ofWeek]) => {
    const calls = Object.fromEntries(ofWeek.map((hour) => [hourOfWeek(hour), callsOfHour]));
    const failed = Object.fromEntries(ofWeek.map((hour) => [hourOfWeek(hour), callsOfHour / 5]));
    return keyIds.map((keyId) => ({
      ...common('week', week, 36),
      instance: null,
      keyId,
      calls,
      failed,
    }));
  });
}

function sumOf(all) {
  const sum = noCalls();
  for (const counts of all) addCounts(sum, counts);
  return sum;
}

function range(length, make) {
  return Array.from({ length }, (_, index) => make(index));
}
