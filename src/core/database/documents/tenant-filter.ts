import type { Types } from 'mongoose';

/** A stored value, or for a list one of its items, that a filter compares with; null finds neither. */
type Comparable<V> = V extends readonly (infer Item)[] ? V | Item | null : V | null;

/** The comparisons that a filter may make. */
interface Comparison<V> {
  readonly $eq?: V;
  readonly $ne?: V;
  readonly $gt?: V;
  readonly $gte?: V;
  readonly $lt?: V;
  readonly $lte?: V;
  /** A pattern finds texts. */
  readonly $in?: readonly (V | RegExp)[];
  readonly $nin?: readonly V[];
  readonly $exists?: boolean;
  readonly $not?: Comparison<V>;
}

type Condition<V> = Comparable<V> | Comparison<Comparable<V>>;

/** Fields that hold an object or a list of objects, below which a path may lead. */
type Nested<T> = {
  [K in keyof T & string]: NonNullable<T[K]> extends
    Date | Types.ObjectId | string | number | boolean
    ? never
    : K;
}[keyof T & string];

/** A field below another one, such as `data.phoneNumber`. */
export type Path<T> = `${Nested<T>}.${string}`;

type Scalar = string | number | boolean | Date | Types.ObjectId;

/**
 * A filter on the stored fields of a document. A field or an operator that does not exist does not
 * compile; the tenant is not part of it because it is always added.
 */
export type TenantFilter<T> = {
  readonly [K in Exclude<keyof T, 'organizationId'>]?: Condition<T[K]>;
} & { readonly [K in Path<T>]?: Condition<Scalar> } & {
  readonly $and?: readonly TenantFilter<T>[];
  readonly $or?: readonly TenantFilter<T>[];
  readonly organizationId?: never;
};

/** What an update changes of one document. */
export interface TenantUpdate<T> {
  readonly $set?: Partial<T> & { readonly [K in Path<T>]?: unknown };
  readonly $unset?: { readonly [K in keyof T]?: '' | true | 1 };
  readonly $inc?: { readonly [K in keyof T]?: number };
  readonly $max?: Partial<T>;
  readonly $setOnInsert?: Partial<T>;
}

/** The order of documents; fields below others by their paths. */
export type TenantSort<T> = { readonly [K in (keyof T & string) | Path<T>]?: 1 | -1 };
