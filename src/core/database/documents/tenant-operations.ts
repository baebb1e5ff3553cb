import type { CollationOptions, Document, FindOptions } from 'mongodb';
import type { Types } from 'mongoose';
import { readAsValues } from '../connection/mongoose-settings.js';
import type { Order, KeysetRequest } from './keyset.js';
import type { Path, TenantFilter, TenantSort, TenantUpdate } from './tenant-filter.js';

export type FieldOf<T> = keyof T & string;

/** Whose documents are read: one organization's, or for the operator those of several. */
export type Tenants = Types.ObjectId | readonly Types.ObjectId[];

/** A new document, or what changes of another one; fields that are undefined stay as they are. */
export type WriteOf<T> =
  | { readonly insert: T }
  | {
      readonly _id: Types.ObjectId;
      readonly fields: { readonly [Field in keyof T]?: T[Field] | undefined };
    }
  | {
      readonly _id: Types.ObjectId;
      readonly update: TenantUpdate<T>;
      /** Only while this holds of it. */
      readonly filter?: TenantFilter<T>;
    };

/** Reads these fields or paths only, `_id` always among them, or all but others. */
export interface Projection<T> {
  readonly fields?: readonly (FieldOf<T> | Path<T>)[];
  readonly without?: readonly FieldOf<T>[];
}

/** In what order to read, how many, compared how, and how surely stored. */
export interface ReadOptions<T> extends Projection<T> {
  readonly sort?: TenantSort<T>;
  readonly limit?: number;
  readonly collation?: CollationOptions;
  /** Only outside of a transaction. */
  readonly readConcern?: 'majority';
}

/** A part of a list that is read in batches. */
export interface ListPart extends Partial<KeysetRequest> {
  readonly skip?: number;
}

export interface BatchOptions<T> extends Projection<T>, ListPart {
  readonly sort?: Order;
  /** The index that has the order, where that is known: the server would try many. */
  readonly hint?: string | undefined;
}

export function withTenant<T>(filter: TenantFilter<T>, organizationId: Tenants): Document {
  const isOne = !Array.isArray(organizationId);
  return { ...filter, organizationId: isOne ? organizationId : { $in: organizationId } };
}

export function findOptions<T>({ fields, without, ...rest }: ReadOptions<T>): FindOptions {
  const projection: Record<string, 0 | 1> = {};
  for (const field of fields ?? []) projection[field] = 1;
  for (const field of without ?? []) projection[field] = 0;
  return { ...(rest as FindOptions), projection, ...readAsValues };
}
