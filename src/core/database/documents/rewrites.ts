import type { Types } from 'mongoose';
import type { TenantCollection } from './tenant-collection.js';
import type { TenantDocument } from './tenant-document.js';
import type { TenantFilter, TenantUpdate } from './tenant-filter.js';
import type { WriteOf } from './tenant-operations.js';

/** What one document becomes, if it still is what the filter says. */
export interface Rewrite<T> {
  readonly filter?: TenantFilter<T>;
  readonly update: TenantUpdate<T>;
}

/** Changes of documents that are decided and not made yet. */
export interface BatchedUpdates {
  /** How many documents they change. */
  readonly count: number;
  /** Makes them, in the transaction that is open around it, if any. */
  readonly write: () => Promise<void>;
}

/**
 * What is to become of the documents that match, in parts of a hundred; the documents are let go of
 * before the next part is read.
 *
 * @param rewriteOf decides it, null for a document that stays as it is
 */
export async function* rewritesOf<T extends TenantDocument>(
  collection: TenantCollection<T>,
  organizationId: Types.ObjectId,
  filter: TenantFilter<T>,
  rewriteOf: (document: T) => Rewrite<T> | null | Promise<Rewrite<T> | null>,
): AsyncGenerator<BatchedUpdates, void> {
  for await (const documents of collection.batches(organizationId, filter)) {
    const writes: WriteOf<T>[] = [];
    for (const document of documents) {
      const rewrite = await rewriteOf(document);
      if (rewrite !== null) writes.push({ ...rewrite, _id: document._id });
    }
    const write = async () => void (await collection.write(organizationId, writes));
    if (writes.length > 0) yield { count: writes.length, write };
  }
}
