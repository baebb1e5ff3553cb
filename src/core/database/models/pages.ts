import type { PipelineStage } from 'mongoose';
import {
  type KeysetPage,
  type KeysetRequest,
  readPage,
  type SortOrder,
} from '../documents/keyset.js';
import type { TenantDocument } from '../documents/tenant-document.js';
import type { FieldName, Path } from '../documents/tenant-queries.js';
import type { ScopedFilter, TenantModel } from './tenant-model.js';

interface PageOptions<T> {
  /** Must include the sort fields. */
  readonly fields?: readonly (FieldName<T> | Path<T>)[];
  readonly without?: readonly FieldName<T>[];
}

/**
 * Reads the page that follows a position. It is an aggregate, because Mongoose casts the filter of a query, and a
 * position may contain values of any type.
 */
export async function pageOf<T extends TenantDocument, R extends object = T>(
  model: TenantModel<T>,
  { organizationId, ...filter }: ScopedFilter<T>,
  order: SortOrder,
  page: KeysetRequest,
  { fields = [], without = [] }: PageOptions<T> = {},
): Promise<KeysetPage<R>> {
  const projection = [
    ...fields.map((field) => [field, 1] as const),
    ...without.map((field) => [field, 0] as const),
  ];
  const shown: PipelineStage[] =
    projection.length === 0 ? [] : [{ $project: Object.fromEntries(projection) }];
  return readPage(order, page, (after, { sort, limit }) => {
    const $match = { organizationId, $and: [filter, after] };
    return model.aggregate<R>([{ $match }, { $sort: sort }, { $limit: limit }, ...shown]);
  });
}
