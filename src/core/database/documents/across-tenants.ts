import type { Collection, Filter } from 'mongodb';
import { InjectCollection, TenantCollection } from './tenant-collection.js';
import type { TenantDocument } from './tenant-document.js';
import { withIndexHint } from './tenant-queries.js';

/** Documents that wait for work, counted up to 10,000. */
export interface BacklogCount {
  readonly oldest: Date | null;
  readonly count: number;
}

const maxCounted = 10_000;
/** A scrape of metrics must not load the database. */
const maxTimeMS = 1_000;

/** Only the files that `.dependency-cruiser.cjs` names may import it (rule DATA-10). */
export class CollectionAcrossTenants<T extends TenantDocument> extends TenantCollection<T> {
  /** Does not add an organization to queries. */
  get acrossTenants(): Collection<T> {
    return this.model.collection as unknown as Collection<T>;
  }

  /** @param hint of an index whose order is that of the time */
  async backlog(filter: Filter<T>, time: keyof T & string, hint: string): Promise<BacklogCount> {
    const steps = [
      { $match: filter },
      { $limit: maxCounted },
      { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: `$${time}` } } },
    ];
    const [found] = await withIndexHint(hint, (options) =>
      this.acrossTenants.aggregate<BacklogCount>(steps, { maxTimeMS, ...options }).toArray(),
    );
    return found ?? { oldest: null, count: 0 };
  }
}

export const InjectAcrossTenants = InjectCollection;
