import type { WriteOf } from '../database/documents/tenant-operations.js';
import type { TenantDocument } from '../database/documents/tenant-document.js';
import type { TenantUpdate } from '../database/documents/tenant-filter.js';
import type { Change } from './reservation-records.js';

/** How a change is stored: a new document as it is, of another one what differs. */
export function writeOf<T extends TenantDocument>({ before, after }: Change<T>): WriteOf<T> {
  if (before === undefined) return { insert: after };
  return { _id: before._id, update: updateBetween(before, after) };
}

/** The update that makes one state of a document into another one. */
function updateBetween<T extends object>(before: T, after: T): TenantUpdate<T> {
  const old: Partial<Record<string, unknown>> = { ...before };
  const changed = Object.entries(after).filter(([field, value]) => old[field] !== value);
  const removed = Object.keys(before).filter((field) => !Object.hasOwn(after, field));
  return {
    $set: Object.fromEntries(changed) as Partial<T>,
    ...(removed.length === 0
      ? {}
      : { $unset: Object.fromEntries(removed.map((field) => [field, ''])) }),
  } as TenantUpdate<T>;
}
