import type { PipelineStage } from 'mongoose';
import type { TenantDocument } from '../documents/tenant-document.js';
import { withIndexHint } from '../documents/tenant-queries.js';
import { acrossTenants } from './across-tenants.js';
import type { TenantModel } from './tenant-model.js';

export interface Backlog {
  /** Age of the oldest document, or 0 if there is none. */
  readonly lagMs: number;
  /** The count stops at 10,000. */
  readonly count: number;
}

const maxCounted = 10_000;
/** A scrape of metrics must not load the database. */
const maxTimeMS = 1_000;

/**
 * Counts documents of all organizations.
 *
 * @param hint names an index that is sorted by the time
 */
export async function backlogOf<T extends TenantDocument>(
  model: TenantModel<T>,
  filter: PipelineStage.Match['$match'],
  time: keyof T & string,
  now: Date,
  hint: string,
): Promise<Backlog> {
  const steps = [
    { $match: filter },
    { $limit: maxCounted },
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: `$${time}` } } },
  ];
  const [found] = await withIndexHint(hint, async (options) =>
    model.aggregate<{ count: number; oldest: Date }>(steps, {
      maxTimeMS,
      ...options,
      ...acrossTenants,
    }),
  );
  const { count, oldest } = found ?? { count: 0, oldest: now };
  return { lagMs: Math.max(0, now.getTime() - oldest.getTime()), count };
}
