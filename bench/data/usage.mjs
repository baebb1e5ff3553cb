// Creates usage counts of a week, as processes store them, for keys that call every route in every quarter of an hour.
import { chartRanges, stepsUntil } from '../../dist/operator/usage/chart-ranges.js';
import { idOf, sizes } from './names.mjs';

const days = 7;
const routes = ['POST /leads', 'GET /units', 'GET /compounds', 'GET /events'];
const counts = { calls: 10, refused: 1, ms5: 7, ms10: 2, ms25: 1 };

/** Fills the counts of some keys of the large organization, which exist only here. */
export async function loadUsage(db, now) {
  const { usageKeys: keyCount } = sizes;
  const organizationId = idOf('organization', 0);
  const keys = Array.from({ length: keyCount }, (_, number) => idOf('apiKey', 1_000_000 + number));
  await db.collection('apiKeys').insertMany(
    keys.map((_id, number) => {
      const [name, hash] = [`Partner ${number}`, String(_id)];
      const permissions = { allowExternal: true };
      const fields = { permissions, lastUsedAt: now, createdAt: now, updatedAt: now };
      return { _id, organizationId, name, hash, ...fields };
    }),
  );
  const steps = stepsUntil('day', now.getTime());
  for (let day = 0; day < days; day++) {
    for (const step of steps) {
      const at = new Date(step - day * chartRanges.month.stepMs);
      await db.collection('usage').insertMany(
        keys.flatMap((apiKeyId) => routes.map((route) => ({ at, apiKeyId, route, ...counts }))),
        { ordered: false },
      );
    }
  }
}
