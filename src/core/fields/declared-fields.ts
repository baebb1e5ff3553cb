import type { Type } from '@nestjs/common';
import { Prop, type PropOptions } from '@nestjs/mongoose';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { defaultLanguage, type Language, type Localized } from '../localization/language.js';
import { withoutUndefined } from '../values/json.js';

export type ReferenceKind = 'compounds' | 'phases' | 'amenities' | 'propertyTypes' | 'unitDesigns';

/** Reads a stored value as responses show it; undefined leaves the field out. */
type Read = (stored: unknown, language: Language) => unknown;

/** Declares a field of a request or an import with its rules. */
type Declare = (api: ApiPropertyOptions) => PropertyDecorator;

export interface FieldKind {
  readonly stored: PropOptions;
  readonly read: Read;
  readonly api: ApiPropertyOptions;
  readonly sent?: Declare;
  /** Where imports take other values than requests. */
  readonly imported?: Declare;
  /** Converts the sent value, or undefined, to the stored one. */
  readonly toStored?: (sent: unknown) => unknown;
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
  readonly default?: string | null;
}

interface SentReference {
  readonly name: string;
  readonly refersTo: ReferenceKind;
}

interface SentField extends Partial<SentReference> {
  readonly byRequests: boolean;
  readonly isRequired: boolean;
  readonly api: ApiPropertyOptions;
  readonly inRequests: Declare;
  readonly inImports: Declare;
  readonly toStored: (sent: unknown) => unknown;
}

interface DeclaredField {
  readonly name: string;
  readonly shown: { readonly read: Read; readonly api: ApiPropertyOptions } | undefined;
  readonly sent: SentField | undefined;
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
  const { description, example } = options;
  const api = { ...kind.api, ...withoutUndefined({ description, example }) };
  return (prototype, property) => {
    if (options.stored !== false) Prop(kind.stored)(prototype, property);
    const field = {
      name: String(property),
      shown: options.shown === false ? undefined : { read: kind.read, api },
      sent: sentField(kind, options, reference),
      hasColumn: options.column === true,
    };
    ownFields.set(prototype, [...(ownFields.get(prototype) ?? []), field]);
  };
}

function sentField(
  { sent: declare, imported: inImports = declare, toStored }: FieldKind,
  { sent, imported, default: standard, description, example }: FieldOptions,
  reference: SentReference | undefined,
): SentField | undefined {
  if (!declare || !inImports || (sent === undefined && imported === undefined)) return undefined;
  // The description of a reference is about its ids.
  const shown = reference ? {} : { description, example };
  const own = sent === true ? {} : sent;
  return {
    ...reference,
    byRequests: sent !== undefined,
    isRequired: imported === 'required',
    api: withoutUndefined({ default: standard ?? undefined, ...shown, ...own }),
    inRequests: declare,
    inImports,
    toStored: toStored ?? ((value) => (value === undefined ? standard : value)),
  };
}

/** The fields of a class in their order, those of its parent class first. */
function declaredFieldsOf(type: Type): readonly DeclaredField[] {
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
      : [[field.name, field.sent.toStored(sent[field.name])] as const],
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

type Sent<T> = {
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

const classNamed = (name: string): Type =>
  Object.defineProperty(class extends Object {}, 'name', { value: name });

const shownClasses = new WeakMap<Type, Type>();

/** Documents a resource in responses: `UnitDto` for `UnitDocument`. */
export function shownClass<T extends object>(type: Type<T>): Type<Shown<T>> {
  const known = shownClasses.get(type);
  if (known !== undefined) return known as Type<Shown<T>>;
  const shape = classNamed(`${type.name.replace(/Document$/, '')}Dto`);
  for (const { name, shown } of declaredFieldsOf(type)) {
    if (shown !== undefined) ApiProperty(shown.api)(shape.prototype as object, name);
  }
  shownClasses.set(type, shape);
  return shape as Type<Shown<T>>;
}

export function requestClass<T extends object>(type: Type<T>): Type<Sent<T>> {
  return sentClass(type, 'Request', ({ byRequests, inRequests, api }) =>
    byRequests ? inRequests(api) : undefined,
  );
}

export function importClass<T extends object>(type: Type<T>): Type<Sent<T>> {
  return sentClass(type, 'Input', ({ inImports, api, isRequired }) =>
    inImports({ ...api, required: isRequired } as ApiPropertyOptions),
  );
}

function sentClass<T extends object>(
  type: Type<T>,
  suffix: string,
  declare: (sent: SentField) => PropertyDecorator | undefined,
): Type<Sent<T>> {
  const request = classNamed(`${type.name}${suffix}`);
  const prototype = request.prototype as object;
  for (const { name, sent } of declaredFieldsOf(type)) {
    const decorate = sent && declare(sent);
    if (decorate === undefined) continue;
    const field = sent?.name ?? name;
    // The compiler adds this to declared fields; without it the reference cannot document `oneOf`.
    Reflect.metadata('design:type', Object)(prototype, field);
    decorate(prototype, field);
  }
  return request as Type<Sent<T>>;
}
