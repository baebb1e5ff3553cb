import type { Types } from 'mongoose';
import type { DeletableDocument } from '../documents/tenant-document.js';
import type { FieldName, TenantFilter } from '../documents/tenant-queries.js';
import type { TenantModel } from './tenant-model.js';

type Changing<T> = TenantModel<T & DeletableDocument>;

/** Returns the distinct values of a field of at most `limit` updated and `limit` deleted documents. */
export async function valuesChangedSince<T extends DeletableDocument, F extends FieldName<T>>(
  model: TenantModel<T>,
  organizationId: Types.ObjectId,
  since: Date,
  { field, limit }: { readonly field: F; readonly limit: number },
): Promise<{ readonly values: T[F][]; readonly isComplete: boolean }> {
  const valuesOf = (filter: object) =>
    (model as Changing<T>)
      .find<Pick<T, F>>({ ...filter, organizationId } as never, [field], { limit })
      .lean();
  // Two queries: for `$or` the server does not take the index of deletions.
  const [updated, deleted] = await Promise.all([
    valuesOf({ updatedAt: { $gte: since } }),
    valuesOf({ deletedAt: { $gte: since } }),
  ]);
  const changed = [...updated, ...deleted].map((document) => document[field]);
  const values = [...new Map(changed.map((value) => [String(value), value])).values()];
  // Several documents may have one value, so the number of values says nothing.
  return { values, isComplete: updated.length < limit && deleted.length < limit };
}

/** Filters by `updatedAt` alone if possible, because only that is a range of one index. */
export async function changedSince<T extends DeletableDocument>(
  model: TenantModel<T>,
  organizationId: Types.ObjectId,
  since: Date,
  alternatives: readonly TenantFilter<T>[] = [],
): Promise<TenantFilter<T>> {
  // Another program may delete by `deletedAt` without setting `updatedAt`.
  const onlyDeleted = { deletedAt: { $gte: since }, updatedAt: { $lt: since }, organizationId };
  const tombstone = await model.findOne(onlyDeleted as never, ['_id']).lean();
  const updated = { updatedAt: { $gte: since } };
  if (alternatives.length === 0 && tombstone === null) return updated as TenantFilter<T>;
  const $or = [updated, { deletedAt: { $gte: since } }, ...alternatives];
  // Without the organization in each branch, the server reads all of the organization's documents.
  return {
    $or: $or.map((branch) => ({ ...branch, organizationId })),
  } as unknown as TenantFilter<T>;
}

/** Returns 1970 if there is no document. */
export async function newestChange(
  models: readonly TenantModel<DeletableDocument>[],
  organizationId: Types.ObjectId,
  of: TenantFilter<DeletableDocument> = {},
): Promise<Date> {
  const newest = models.flatMap((model) =>
    (['updatedAt', 'deletedAt'] as const).map(async (field) => {
      const filter = { ...of, organizationId, [field]: { $gte: new Date(0) } };
      const document = await model.findOne(filter, [field], { sort: { [field]: -1 } }).lean();
      return document?.[field]?.getTime() ?? 0;
    }),
  );
  return new Date(Math.max(0, ...(await Promise.all(newest))));
}
