import type { CollationOptions, Document, FindOptions } from 'mongodb';
import type { Types } from 'mongoose';
import { readAsValues } from '../connection/mongoose-settings.js';
import type { Path, TenantFilter, TenantSort, TenantUpdate } from './tenant-filter.js';

export type FieldOf<T> = keyof T & string;
/** A field, or a path below one. */
export type PathOf<T> = FieldOf<T> | Path<T>;
type TopField<F> = F extends `${infer Top}.${string}` ? Top : F;

/** Fields to set of one document; what is undefined stays as it is. */
interface FieldsOf<T> {
  readonly _id: Types.ObjectId;
  readonly fields: { readonly [Field in keyof T]?: T[Field] | undefined };
}

/** A new document, or what changes of another one. */
export type WriteOf<T> =
  | { readonly insert: T }
  | FieldsOf<T>
  | { readonly _id: Types.ObjectId; readonly update: TenantUpdate<T> };

/** In what order to read, how many, compared how, and how surely stored. */
export interface ReadOptions<T> {
  readonly sort?: TenantSort<T>;
  readonly skip?: number;
  readonly limit?: number;
  readonly collation?: CollationOptions;
  /** Only outside of a transaction. */
  readonly readConcern?: 'majority';
}

/** Reads these fields only, `_id` always among them, or all but others; a list without any would be typed as all. */
export interface Projection<F, W = never> {
  readonly fields?: readonly [F, ...F[]];
  readonly without?: readonly [W, ...W[]];
}

/** A document with the fields that were read: all of them where none are named. */
export type Read<T, F, W = never> = [F] extends [never]
  ? [W] extends [never]
    ? T
    : Omit<T, W & keyof T>
  : Pick<T, keyof T & (TopField<F> | '_id')>;

export function withTenant<T>(filter: TenantFilter<T>, organizationId: unknown): Document {
  return { ...filter, organizationId };
}

export function findOptions<T>(options: ReadOptions<T> & Projection<string, string>): FindOptions {
  const { fields, without, ...rest } = options;
  const projection: Record<string, 0 | 1> = {};
  for (const field of fields ?? []) projection[field] = 1;
  for (const field of without ?? []) projection[field] = 0;
  return { ...(rest as FindOptions), projection, ...readAsValues };
}
