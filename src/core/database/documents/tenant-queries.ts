import type { Types } from 'mongoose';
import { isBadValue } from '../connection/database-errors.js';
import type { SortOrder, KeysetPosition } from './keyset.js';

type Comparable<V> = V extends readonly (infer Item)[] ? V | Item | null : V | null;

interface Comparison<V> extends Partial<Record<'$eq' | '$ne' | `$${'g' | 'l'}t${'' | 'e'}`, V>> {
  readonly $in?: readonly (V | RegExp)[];
  readonly $nin?: readonly V[];
  readonly $exists?: boolean;
  readonly $type?: string;
  readonly $not?: Comparison<V>;
}

type Condition<V> = Comparable<V> | Comparison<Comparable<V>>;

type Nested<T> = {
  [K in keyof T & string]: NonNullable<T[K]> extends
    Date | Types.ObjectId | string | number | boolean
    ? never
    : K;
}[keyof T & string];

export type Path<T> = `${Nested<T>}.${string}`;

type Scalar = string | number | boolean | Date | Types.ObjectId;

/** The collection itself adds the tenant to each filter. */
export type TenantFilter<T> = {
  readonly [K in Exclude<keyof T, 'organizationId'>]?: Condition<T[K]>;
} & { readonly [K in Path<T>]?: Condition<Scalar> } & {
  readonly $and?: readonly TenantFilter<T>[];
  readonly $or?: readonly TenantFilter<T>[];
  readonly organizationId?: never;
};

export interface TenantUpdate<T> {
  readonly $set?: Partial<T> & { readonly [K in Path<T>]?: unknown };
  readonly $unset?: { readonly [K in keyof T]?: '' | true | 1 };
  readonly $inc?: { readonly [K in keyof T]?: number };
  readonly $max?: Partial<T>;
  readonly $setOnInsert?: Partial<T>;
}

export type FieldName<T> = keyof T & string;

export type TenantIds = Types.ObjectId | readonly Types.ObjectId[];

/** Undefined fields of an update stay unchanged. */
export type TenantWrite<T> =
  | { readonly insert: T }
  | {
      readonly _id: Types.ObjectId;
      readonly fields: { readonly [Field in keyof T]?: T[Field] | undefined };
    }
  | {
      readonly _id: Types.ObjectId;
      readonly update: TenantUpdate<T>;
      readonly filter?: TenantFilter<T>;
    };

export interface BatchOptions<T> {
  readonly fields?: readonly (FieldName<T> | Path<T>)[];
  readonly sort?: SortOrder;
  readonly after?: KeysetPosition | undefined;
  readonly skip?: number;
  readonly limit?: number;
  /** Names a better index than the server's choice; queries work without it. */
  readonly hint?: string | undefined;
}

export interface BatchedUpdates {
  readonly count: number;
  readonly write: () => Promise<void>;
}

/** Drops the hint while the index does not exist. */
export async function withIndexHint<R>(
  hint: string | undefined,
  read: (options: { readonly hint?: string }) => Promise<R>,
): Promise<R> {
  if (hint === undefined) return read({});
  try {
    return await read({ hint });
  } catch (error) {
    if (!isBadValue(error)) throw error;
    return read({});
  }
}
