import type { Db, Document } from 'mongodb';
import type { Tenant } from './builders.js';

/** The numbers from 0 on. */
export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** How many responses have each status. */
export function countStatuses(
  responses: readonly { readonly status: number }[],
): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** How many documents of a collection a tenant has that match. */
export function countDocuments(
  db: Db,
  collection: string,
  { organizationId }: Tenant,
  filter: Document = {},
): Promise<number> {
  return db.collection(collection).countDocuments({ organizationId, ...filter });
}
