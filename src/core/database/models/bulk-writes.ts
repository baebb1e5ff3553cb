import type { AnyBulkWriteOperation, Types } from 'mongoose';
import { withoutUndefined } from '../../values/json.js';
import type { TenantDocument } from '../documents/tenant-document.js';
import type { TenantWrite } from '../documents/tenant-queries.js';
import type { TenantModel } from './tenant-model.js';

/**
 * Stores updates, then new documents, with a command each. Is atomic only inside a transaction.
 *
 * @returns how many of the documents to update exist
 */
export async function writeAll<T extends TenantDocument>(
  model: TenantModel<T>,
  organizationId: Types.ObjectId,
  writes: readonly TenantWrite<T>[],
): Promise<number> {
  const inserted = writes.flatMap((write) => ('insert' in write ? write.insert : []));
  const updates = writes.flatMap((write): AnyBulkWriteOperation<T>[] => {
    if ('insert' in write) return [];
    const filter = { ...('update' in write && write.filter), _id: write._id, organizationId };
    const update = 'update' in write ? write.update : { $set: withoutUndefined(write.fields) };
    // Without the hint the server would try every index that begins with the organization.
    const updateOne = { filter, update, hint: { _id: 1 } };
    return [{ updateOne }] as unknown as AnyBulkWriteOperation<T>[];
  });
  const { matchedCount = 0 } = updates.length === 0 ? {} : await model.bulkWrite(updates);
  if (inserted.length > 0) await model.insertMany(inserted, { lean: true });
  return matchedCount;
}
