import type { Types } from 'mongoose';
import type { Localized } from '../../core/localization/localized.js';

/** A resource as responses show it: ids, times and texts in several languages as one text. */
export type Shown<T> = {
  [Field in keyof T]-?: NonNullable<T[Field]> extends Localized
    ? string
    : ShownValue<Exclude<T[Field], undefined>>;
};

type ShownValue<T> = T extends Types.ObjectId | Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly ShownValue<Item>[]
    : T extends object
      ? Shown<T>
      : T;

/** A resource as requests and imports send it: any fields, of objects too, and names for ids. */
export type Sent<T> = {
  [Field in keyof T as NonNullable<T[Field]> extends Ids ? never : Field]?: SentValue<
    NonNullable<T[Field]>
  >;
};

type Ids = Types.ObjectId | readonly Types.ObjectId[];

type SentValue<T> = T extends Localized
  ? string | Partial<Localized>
  : T extends readonly (infer Item)[]
    ? readonly SentValue<Item>[]
    : T extends object
      ? Partial<T>
      : T;
