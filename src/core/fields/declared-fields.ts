import type { Type } from '@nestjs/common';
import { Prop, type PropOptions } from '@nestjs/mongoose';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { defaultLanguage, type Language, type Localized } from '../localization/language.js';
import { withoutUndefined } from '../values/json.js';
import type { InputKind } from './sent-values.js';

export type ReferenceKind = 'compounds' | 'phases' | 'amenities' | 'propertyTypes' | 'unitDesigns';

/** Reads a stored value as responses show it; undefined leaves the field out. */
type Read = (stored: unknown, language: Language) => unknown;

export interface FieldKind {
  readonly stored: PropOptions;
  readonly read: Read;
  readonly api: ApiPropertyOptions;
  readonly sent?: InputKind;
}

export interface Documentation {
  readonly description?: string;
  readonly example?: unknown;
}

export interface FieldOptions extends Documentation {
  /** Requests and imports send it; an object overrides the documentation of requests. */
  readonly sent?: true | Documentation;
  /** Imports send it even if requests do not, or require it. */
  readonly imported?: true | 'required';
  /** False if another class declares how it is stored. */
  readonly stored?: false;
  readonly shown?: false;
  /** The CSV export has a column for it, after its original columns. */
  readonly column?: true;
  readonly kind?: InputKind;
  readonly default?: string | null;
}

interface SentReference {
  readonly name: string;
  readonly refersTo: ReferenceKind;
}

interface SentAs extends InputKind, Partial<SentReference> {
  readonly byRequests: boolean;
  readonly isRequired: boolean;
}

interface DeclaredField {
  readonly name: string;
  readonly shown: { readonly read: Read; readonly api: ApiPropertyOptions } | undefined;
  readonly sent: SentAs | undefined;
  readonly hasColumn: boolean;
}

/** A resource in responses: ids and times as text, localized texts in one language. Only these may be null. */
export type Shown<T> = {
  [Field in keyof T]-?: NonNullable<T[Field]> extends Localized
    ? string
    : NonNullable<T[Field]> extends Types.ObjectId | Date | string
      ? ShownValue<Exclude<T[Field], undefined>>
      : ShownValue<NonNullable<T[Field]>>;
};

type ShownValue<T> = unknown extends T
  ? unknown
  : T extends Types.ObjectId | Date
    ? string
    : T extends readonly (infer Item)[]
      ? readonly ShownValue<Item>[]
      : T extends object
        ? Shown<T>
        : T;

const ownFields = new WeakMap<object, DeclaredField[]>();
const allFields = new WeakMap<Type, readonly DeclaredField[]>();

export function declareField(
  kind: FieldKind,
  options: FieldOptions,
  reference?: SentReference,
): PropertyDecorator {
  const shown = { read: kind.read, api: documented(kind.api, options) };
  return (prototype, property) => {
    if (options.stored !== false) Prop(kind.stored)(prototype, property);
    const field = {
      name: String(property),
      shown: options.shown === false ? undefined : shown,
      sent: sentAs(options, options.kind ?? kind.sent, reference),
      hasColumn: options.column === true,
    };
    ownFields.set(prototype, [...(ownFields.get(prototype) ?? []), field]);
  };
}

function sentAs(
  { sent, imported, default: standard, ...shown }: FieldOptions,
  kind: InputKind | undefined,
  reference: SentReference | undefined,
): SentAs | undefined {
  if (kind === undefined || (sent === undefined && imported === undefined)) return undefined;
  const api = typeof standard === 'string' ? { ...kind.api, default: standard } : kind.api;
  return {
    toStored: (value) => (value === undefined ? standard : value),
    ...kind,
    ...reference,
    byRequests: sent !== undefined,
    isRequired: imported === 'required',
    // The description of a reference is about its ids.
    api: documented(reference ? api : documented(api, shown), sent === true ? {} : (sent ?? {})),
  };
}

function documented(
  api: ApiPropertyOptions,
  { description, example }: Documentation,
): ApiPropertyOptions {
  return { ...api, ...withoutUndefined({ description, example }) };
}

/** The fields of a class in their order, those of its parent class first. */
export function declaredFieldsOf(type: Type): readonly DeclaredField[] {
  const known = allFields.get(type);
  if (known !== undefined) return known;
  const parent = Object.getPrototypeOf(type) as Type;
  const inherited = parent === Function.prototype ? [] : declaredFieldsOf(parent);
  const fields = [...inherited, ...(ownFields.get(type.prototype as object) ?? [])];
  allFields.set(type, fields);
  return fields;
}

export function present<T extends object>(
  type: Type<T>,
  stored: object,
  language: Language = defaultLanguage,
): Shown<T> {
  const values = stored as Readonly<Record<string, unknown>>;
  const presented: Record<string, unknown> = {};
  for (const { name, shown } of declaredFieldsOf(type)) {
    const value = shown?.read(values[name], language);
    if (value !== undefined) presented[name] = value;
  }
  return presented as Shown<T>;
}

/** Without references, which are sent by name. */
export function storedFields<T extends object>(type: Type<T>, values: object): Partial<T> {
  const sent = values as Readonly<Record<string, unknown>>;
  const stored = declaredFieldsOf(type).flatMap((field) =>
    field.sent === undefined || field.sent.refersTo !== undefined
      ? []
      : [[field.name, field.sent.toStored?.(sent[field.name])] as const],
  );
  return withoutUndefined(Object.fromEntries(stored)) as Partial<T>;
}

export interface DeclaredReference {
  readonly field: string;
  readonly kind: ReferenceKind;
  readonly storedAs: string;
}

export function referencesOf(type: Type): DeclaredReference[] {
  return declaredFieldsOf(type).flatMap(({ name, sent }) =>
    sent?.refersTo === undefined
      ? []
      : [{ field: sent.name ?? name, kind: sent.refersTo, storedAs: name }],
  );
}

export function columnsOf<T>(type: Type<T>): (keyof T)[] {
  const columns = declaredFieldsOf(type).filter(({ hasColumn }) => hasColumn);
  return columns.map(({ name }) => name as keyof T);
}
