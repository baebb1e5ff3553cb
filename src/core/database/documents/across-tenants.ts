import type { Collection } from 'mongodb';
import { InjectCollection, TenantCollection } from './tenant-collection.js';
import type { TenantDocument } from './tenant-document.js';

/** Only the files that `.dependency-cruiser.cjs` names may import it (rule DATA-10). */
export class CollectionAcrossTenants<T extends TenantDocument> extends TenantCollection<T> {
  /** Does not add an organization to queries. */
  get acrossTenants(): Collection<T> {
    return this.model.collection as unknown as Collection<T>;
  }
}

export const InjectAcrossTenants = InjectCollection;
