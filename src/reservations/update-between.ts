import type { TenantUpdate } from '../database/documents/tenant-filter.js';

/** The update that makes one state of a document into another one. */
export function updateBetween<T extends object>(before: T, after: T): TenantUpdate<T> {
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
