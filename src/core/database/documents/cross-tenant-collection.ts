import type { Collection, Filter } from 'mongodb';
import { InjectCollection, TenantCollection } from './tenant-collection.js';
import type { TenantDocument } from './tenant-document.js';
import { type Backlog, withIndexHint } from './tenant-queries.js';

const maxCounted = 10_000;
/** A scrape of metrics must not load the database. */
const maxTimeMS = 1_000;

/** Only the files that `.dependency-cruiser.cjs` names may import it (rule DATA-10). */
export class CrossTenantCollection<T extends TenantDocument> extends TenantCollection<T> {
  /** Queries of this collection reach all organizations. */
  get allTenants(): Collection<T> {
    return this.model.collection as unknown as Collection<T>;
  }

  /** @param hint names an index that is sorted by the time */
  async backlog(
    filter: Filter<T>,
    time: keyof T & string,
    now: Date,
    hint: string,
  ): Promise<Backlog> {
    const steps = [
      { $match: filter },
      { $limit: maxCounted },
      { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: `$${time}` } } },
    ];
    const [found] = await withIndexHint(hint, (options) =>
      this.allTenants
        .aggregate<{ count: number; oldest: Date }>(steps, { maxTimeMS, ...options })
        .toArray(),
    );
    const { count, oldest } = found ?? { count: 0, oldest: now };
    return { lagMs: Math.max(0, now.getTime() - oldest.getTime()), count };
  }
}

export const InjectCrossTenant = InjectCollection;
