import type {
  Aggregate,
  AnyBulkWriteOperation,
  mongo,
  MongooseBulkWriteOptions,
  PipelineStage,
  Query,
  QueryOptions,
  Types,
} from 'mongoose';
import type { TenantDocument } from '../documents/tenant-document.js';
import type { FieldName, Path, TenantFilter, TenantUpdate } from '../documents/tenant-queries.js';

export type OrganizationIds = Types.ObjectId | { readonly $in: readonly Types.ObjectId[] };

/** Names the organization, or the organizations that an operator's search covers. */
interface OfTenants {
  readonly organizationId: OrganizationIds;
}

export type ScopedFilter<T> = Omit<TenantFilter<T>, 'organizationId'> & OfTenants;

/** Lists the fields to read, or names those to leave out. */
type Projection<T> =
  readonly (FieldName<T> | Path<T>)[] | { readonly [Field in FieldName<T>]?: 0 | object };

/** Must be lean: hydrated documents would interpret the keys of free-form fields. */
interface Unread<T, R> {
  lean(): Query<R, T>;
}

type Updates<T> = TenantUpdate<T> | readonly PipelineStage[];

/**
 * A model of a collection whose documents belong to organizations. Its types are Mongoose's, except that each query
 * names its organization (rule DATA-10); the plugin `tenantGuard` also refuses others at run time.
 */
export interface TenantModel<T extends TenantDocument, Filter = ScopedFilter<T>> {
  find<R = T>(
    filter: Filter,
    projection?: Projection<T> | null,
    options?: QueryOptions<T>,
  ): Unread<T, R[]>;
  findOne<R = T>(
    filter: Filter,
    projection?: Projection<T> | null,
    options?: QueryOptions<T>,
  ): Unread<T, R | null>;
  findOneAndUpdate<R = T>(
    filter: Filter,
    update: Updates<T>,
    options?: QueryOptions<T>,
  ): Unread<T, R | null>;
  updateOne(
    filter: Filter,
    update: Updates<T>,
    options?: QueryOptions<T>,
  ): Query<mongo.UpdateResult, T>;
  updateMany(
    filter: Filter,
    update: Updates<T>,
    options?: QueryOptions<T>,
  ): Query<mongo.UpdateResult, T>;
  deleteOne(filter: Filter): Query<mongo.DeleteResult, T>;
  deleteMany(filter: Filter): Query<mongo.DeleteResult, T>;
  countDocuments(filter: Filter, options?: QueryOptions<T>): Query<number, T>;
  distinct(field: FieldName<T> | Path<T>, filter: Filter): Query<unknown[], T>;
  /** The first stage must match the organization. */
  aggregate<R>(pipeline: PipelineStage[], options?: mongo.AggregateOptions): Aggregate<R[]>;
  /** Inserts the documents as they are: hydrated ones would lose keys of free-form fields. */
  insertMany(documents: readonly T[], options: { readonly lean: true }): Promise<unknown>;
  bulkWrite(
    operations: AnyBulkWriteOperation<T>[],
    options?: MongooseBulkWriteOptions,
  ): Promise<mongo.BulkWriteResult>;
}

/** Also accepts filters of all organizations, whose queries need the option `acrossTenants`. */
export type CrossTenantModel<T extends TenantDocument> = TenantModel<
  T,
  Omit<TenantFilter<T>, 'organizationId'> & { readonly organizationId?: object }
>;
