import type { Type } from '@nestjs/common';
import { Prop, type PropOptions } from '@nestjs/mongoose';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { defaultLanguage, type Language, type Localized } from '../localization/language.js';
import { withoutUndefined } from '../values/json.js';

export type ReferenceKind = 'compounds' | 'phases' | 'amenities' | 'propertyTypes' | 'unitDesigns';

/** Converts a stored value for responses; undefined omits the field. */
type Read = (stored: unknown, language: Language) => unknown;

type FieldDecorator = (api: ApiPropertyOptions) => PropertyDecorator;

export interface FieldKind {
  readonly stored: PropOptions;
  readonly read: Read;
  readonly api: ApiPropertyOptions;
  readonly sent?: FieldDecorator;
  /** Overrides the declaration where imports and requests accept different values. */
  readonly imported?: FieldDecorator;
  /** Converts sent values for storage. */
  readonly toStored?: (sent: unknown) => unknown;
}

export interface Documentation {
  readonly description?: string;
  readonly example?: unknown;
}

export interface FieldOptions extends Documentation {
  /** Requests and imports accept it; an object overrides its documentation for requests. */
  readonly sent?: true | Documentation;
  /** `true`: accepted by imports only. `'required'`: imports must contain it. */
  readonly imported?: true | 'required';
  /** It is false if another class declares how the field is stored. */
  readonly stored?: false;
  readonly shown?: false;
  /** Appends a column to the CSV export. */
  readonly column?: true;
  readonly default?: string | null;
}

interface SentReference {
  readonly name: string;
  readonly refersTo: ReferenceKind;
}

interface DeclaredField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly options: FieldOptions;
  readonly reference: SentReference | undefined;
}

/** Responses show ids and times as strings and localized texts in one language. Only these may be null. */
export type Presented<T> = {
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
        ? Presented<T>
        : T;

const fieldsKey = Symbol('fields');

export function declareField(
  kind: FieldKind,
  options: FieldOptions,
  reference?: SentReference,
): PropertyDecorator {
  return (prototype, property) => {
    if (options.stored !== false) Prop(kind.stored)(prototype, property);
    const field = { name: String(property), kind, options, reference };
    Reflect.defineMetadata(fieldsKey, [...fieldsOf(prototype), field], prototype);
  };
}

/** Fields of the parent class come first. */
function fieldsOf(prototype: object): readonly DeclaredField[] {
  return (Reflect.getMetadata(fieldsKey, prototype) ?? []) as readonly DeclaredField[];
}

function declaredFieldsOf({ prototype }: Type): readonly DeclaredField[] {
  return fieldsOf(prototype as object);
}

export function present<T extends object>(
  type: Type<T>,
  stored: object,
  language: Language = defaultLanguage,
): Presented<T> {
  const values = stored as Readonly<Record<string, unknown>>;
  const presented: Record<string, unknown> = {};
  for (const { name, kind, options } of declaredFieldsOf(type)) {
    const value = options.shown === false ? undefined : kind.read(values[name], language);
    if (value !== undefined) presented[name] = value;
  }
  return presented as Presented<T>;
}

export function csvColumnsOf<T>(type: Type<T>): (keyof T)[] {
  const columns = declaredFieldsOf(type).filter(({ options }) => options.column);
  return columns.map(({ name }) => name as keyof T);
}

/** Omits references: requests send names, which the caller resolves to ids. */
export function storedFields<T extends object>(type: Type<T>, values: object): Partial<T> {
  const sent = values as Readonly<Record<string, unknown>>;
  const stored = declaredFieldsOf(type)
    .filter((field) => isAccepted(field) && field.reference === undefined)
    .map(({ name, kind, options }): [string, unknown] => {
      const { toStored = (value: unknown) => (value === undefined ? options.default : value) } =
        kind;
      return [name, toStored(sent[name])];
    });
  return withoutUndefined(Object.fromEntries(stored)) as Partial<T>;
}

function isAccepted({ kind, options }: DeclaredField): boolean {
  return kind.sent !== undefined && (options.sent ?? options.imported) !== undefined;
}

export interface DeclaredReference {
  readonly field: string;
  readonly kind: ReferenceKind;
  readonly storedAs: string;
}

export function referencesOf(type: Type): DeclaredReference[] {
  return declaredFieldsOf(type).flatMap(({ name, reference }) =>
    reference ? [{ field: reference.name, kind: reference.refersTo, storedAs: name }] : [],
  );
}

type InputOf<T> = {
  [Field in keyof T as NonNullable<T[Field]> extends Ids ? never : Field]?: InputValue<
    NonNullable<T[Field]>
  >;
};

type Ids = Types.ObjectId | readonly Types.ObjectId[];

type InputValue<T> = T extends Localized
  ? string | Partial<Localized>
  : T extends readonly (infer Item)[]
    ? readonly InputValue<Item>[]
    : T extends object
      ? Partial<T>
      : T;

const namedClass = (name: string): Type =>
  Object.defineProperty(class extends Object {}, 'name', { value: name });

const responseClasses = new WeakMap<Type, Type>();

/** Documents a resource in responses: `UnitDto` for `UnitDocument`. */
export function responseClass<T extends object>(type: Type<T>): Type<Presented<T>> {
  const known = responseClasses.get(type);
  if (known !== undefined) return known as Type<Presented<T>>;
  const shape = namedClass(`${type.name.replace(/Document$/, '')}Dto`);
  for (const { name, kind, options } of declaredFieldsOf(type)) {
    const { description, example } = options;
    const api = { ...kind.api, ...withoutUndefined({ description, example }) };
    if (options.shown !== false) ApiProperty(api)(shape.prototype as object, name);
  }
  responseClasses.set(type, shape);
  return shape as Type<Presented<T>>;
}

export function requestClass<T extends object>(type: Type<T>): Type<InputOf<T>> {
  return inputClass(type, 'Request', (field) =>
    field.options.sent ? field.kind.sent?.(inputDocumentation(field)) : undefined,
  );
}

export function importClass<T extends object>(type: Type<T>): Type<InputOf<T>> {
  return inputClass(type, 'Input', (field) => {
    const { sent, imported: declare = sent } = field.kind;
    const required = field.options.imported === 'required';
    return isAccepted(field)
      ? declare?.({ ...inputDocumentation(field), required } as ApiPropertyOptions)
      : undefined;
  });
}

/** The description of a reference is about ids, but requests send names, so it is replaced. */
function inputDocumentation({ options, reference }: DeclaredField): ApiPropertyOptions {
  const { sent, default: standard, description, example } = options;
  const shown = reference ? {} : { description, example };
  const own = sent === true ? {} : sent;
  return withoutUndefined({ default: standard ?? undefined, ...shown, ...own });
}

function inputClass<T extends object>(
  type: Type<T>,
  suffix: string,
  declare: (field: DeclaredField) => PropertyDecorator | undefined,
): Type<InputOf<T>> {
  const request = namedClass(`${type.name}${suffix}`);
  const prototype = request.prototype as object;
  for (const field of declaredFieldsOf(type)) {
    const decorate = declare(field);
    const name = field.reference?.name ?? field.name;
    // The compiler emits no type for these fields, and Swagger needs one to document `oneOf`.
    if (decorate !== undefined) Reflect.metadata('design:type', Object)(prototype, name);
    decorate?.(prototype, name);
  }
  return request as Type<InputOf<T>>;
}
