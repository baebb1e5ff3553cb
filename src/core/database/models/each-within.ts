import type { TenantFilter } from '../documents/tenant-queries.js';
import type { OrganizationIds } from './tenant-model.js';

/**
 * Repeats the organizations in each condition of an `$or`: with the organizations outside, the server does not use the
 * partial indexes of the conditions, but reads all documents of the organizations.
 */
export function eachWithin<T>(
  organizationId: OrganizationIds,
  conditions: readonly TenantFilter<T>[],
): TenantFilter<T>[] {
  const repeated: readonly object[] = conditions.map((condition) => ({
    ...condition,
    organizationId,
  }));
  return [...repeated] as TenantFilter<T>[];
}
