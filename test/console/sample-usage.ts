import { type Db, type Document, ObjectId } from 'mongodb';

const quarterMs = 900_000;
const hourMs = 4 * quarterMs;

export interface SampleKey {
  readonly keyId: ObjectId;
  /** Returns the number of calls in the hour that starts then. */
  readonly calls: (hour: Date) => number;
  /** The share of refused calls, from 0 to 1. */
  readonly refused?: number;
}

const routes = ['POST /leads', 'GET /units', 'GET /compounds', 'POST /reservations/callback'];
/** The share of each latency bucket. The rest belongs to `ms5`. */
const shares = { ms10: 0.25, ms25: 0.15, ms50: 0.08, ms100: 0.04, ms250: 0.03 };

/** Stores four weeks of calls per key, as processes count them, and the last use of the keys. */
export async function addUsage(
  db: Db,
  keys: readonly SampleKey[],
  now = Date.now(),
): Promise<void> {
  const end = now - (now % quarterMs) + quarterMs;
  const quarters = Array.from({ length: 28 * 96 }, (_, index) => end - (index + 1) * quarterMs);
  for (const key of keys) {
    const documents = quarters.flatMap((at) =>
      routes.map((route, index) => documentOf(key, route, index, at)),
    );
    const counted = documents.filter(({ calls }) => calls > 0);
    if (counted.length === 0) continue;
    await db.collection('usage').insertMany(counted);
    const newest = Math.max(...counted.map(({ at }) => (at as Date).getTime()));
    await db
      .collection('apiKeys')
      .updateOne({ _id: key.keyId }, { $set: { lastUsedAt: new Date(Math.min(newest, now)) } });
  }
}

/** The counts vary, so that charts are not flat. */
function documentOf(
  { keyId, calls, refused = 0 }: SampleKey,
  route: string,
  index: number,
  at: number,
): Document {
  const share = (1 + 0.4 * Math.sin(at / quarterMs)) / 4;
  const count = Math.round((calls(new Date(at - (at % hourMs))) * share) / (index + 1));
  const buckets = Object.entries(shares).map(([name, part]) => [name, Math.round(part * count)]);
  const slower = Object.fromEntries(buckets) as Record<string, number>;
  const ms5 = count - Object.values(slower).reduce((sum, part) => sum + part, 0);
  const counts = { calls: count, refused: Math.round(count * refused), ms5, ...slower };
  return { _id: new ObjectId(), at: new Date(at), apiKeyId: keyId, route, ...counts };
}
