import type { mongo, PipelineStage } from 'mongoose';
import {
  type KeysetPage,
  type KeysetRequest,
  readPage,
  type SortOrder,
} from '../documents/keyset.js';
import type { TenantDocument } from '../documents/tenant-document.js';
import type { FieldName, Path } from '../documents/tenant-queries.js';
import type { TenantModel } from './tenant-model.js';

interface PageOptions<T> {
  /** Must include the sort fields. */
  readonly fields?: readonly (FieldName<T> | Path<T>)[];
  readonly without?: readonly FieldName<T>[];
  /** Runs on the documents of the page. */
  readonly lastStages?: readonly PipelineStage[];
  readonly options?: mongo.AggregateOptions;
}

/**
 * Reads the page that follows a position. It is an aggregate, because Mongoose casts the filter of a query, and a
 * position may contain values of any type.
 */
export async function pageOf<T extends TenantDocument, Filter extends object, R extends object = T>(
  model: TenantModel<T, Filter>,
  filter: Filter,
  order: SortOrder,
  page: KeysetRequest,
  { fields = [], without = [], lastStages = [], options = {} }: PageOptions<T> = {},
): Promise<KeysetPage<R>> {
  const { organizationId, ...conditions } = filter as { readonly organizationId?: unknown };
  const projection = [
    ...fields.map((field) => [field, 1] as const),
    ...without.map((field) => [field, 0] as const),
  ];
  const shown: PipelineStage[] =
    projection.length === 0 ? [] : [{ $project: Object.fromEntries(projection) }];
  return readPage(order, page, (after, { sort, limit }) => {
    const $match = {
      ...(organizationId !== undefined && { organizationId }),
      $and: [conditions, after],
    };
    const steps = [{ $match }, { $sort: sort }, { $limit: limit }, ...shown, ...lastStages];
    return model.aggregate<R>(steps, options);
  });
}
