import type { Collection } from 'mongodb';
import { InjectCollection, TenantCollection } from './tenant-collection.js';
import type { TenantDocument } from './tenant-document.js';

/** Only the files that `.dependency-cruiser.cjs` names may import it (rule DATA-10). */
export class CrossTenantCollection<T extends TenantDocument> extends TenantCollection<T> {
  /** Queries of this collection reach all organizations. */
  get allTenants(): Collection<T> {
    return this.model.collection as unknown as Collection<T>;
  }
}

export const InjectCrossTenant = InjectCollection;
