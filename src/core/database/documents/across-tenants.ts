import type { Collection } from 'mongodb';
import { InjectCollection, TenantCollection } from './tenant-collection.js';
import type { TenantDocument } from './tenant-document.js';

/**
 * The documents of one collection, also those of all organizations at once: for the authentication
 * of a key, the operator and background work. Only the files that `.dependency-cruiser.cjs` names
 * may import it (rule DATA-10).
 */
export class CollectionAcrossTenants<T extends TenantDocument> extends TenantCollection<T> {
  /** The collection itself: nothing adds an organization to what it is asked. */
  get acrossTenants(): Collection<T> {
    return this.model.collection as unknown as Collection<T>;
  }
}

/** Injects what {@link InjectCollection} does, for a parameter whose type shows all organizations. */
export const InjectAcrossTenants = InjectCollection;
