import type { Type } from '@nestjs/common';
import { Prop, type PropOptions } from '@nestjs/mongoose';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import type { Language } from '../../core/localization/language.js';
import { isPlainObject } from '../../core/values/plain-object.js';
import { isValid, type ValueKind } from '../../core/values/rule.js';
import type { Shown } from './derived-types.js';
import type { SentKind } from './sent-values.js';

/** The collections that units refer to. */
export type ReferenceKind = 'compounds' | 'phases' | 'amenities' | 'propertyTypes' | 'unitDesigns';

/** How a field is stored, shown, sent and exported. */
interface FieldDeclaration {
  /** Undefined where another class declares how it is stored. */
  readonly stored?: PropOptions | undefined;
  /** Undefined where responses do not show it. */
  readonly shown?: ShownAs | undefined;
  /** Undefined where neither requests nor imports send it. */
  readonly sent?: SentAs | undefined;
  /** Whether the CSV export has a column for it, after those that it has had from the beginning. */
  readonly hasColumn?: boolean | undefined;
}

interface ShownAs {
  /** Reads a stored value as the API shows it; undefined leaves the field out. */
  readonly read: (stored: unknown, language: Language) => unknown;
  readonly api: ApiPropertyOptions;
}

export interface SentAs {
  /** The name of a reference, which is stored as an id; any other field is sent by its own name. */
  readonly name?: string;
  readonly refersTo?: ReferenceKind;
  /** Whether requests send it; imports send every field that is sent at all. */
  readonly byRequests: boolean;
  /** Whether an import, or an object in a request, must have it. */
  readonly isRequired: boolean;
  readonly api: ApiPropertyOptions;
  readonly rules: ValueKind;
  /** More than the rules: how objects in the field are checked. */
  readonly inRequests?: PropertyDecorator;
  /** Instead of the rules, where an import can name the item that breaks one. */
  readonly inImports?: PropertyDecorator;
  /** Makes the stored value of what was sent, or of undefined. */
  readonly toStored?: (sent: unknown) => unknown;
}

/** How the reference documents a field. */
export interface Documentation {
  readonly description?: string;
  readonly example?: unknown;
}

export interface FieldOptions extends Documentation {
  /** Requests and imports send it; an object is what the documentation of requests has of its own. */
  readonly sent?: true | Documentation;
  /** Imports send it, though requests do not, or it is required there. */
  readonly imported?: true | 'required';
  /** Another class declares how it is stored. */
  readonly stored?: false;
  /** The CSV export has a column for it, after those that it has had from the beginning. */
  readonly column?: true;
}

interface DeclaredField extends FieldDeclaration {
  readonly name: string;
}

const ownFields = new WeakMap<object, DeclaredField[]>();
const allFields = new WeakMap<Type, readonly DeclaredField[]>();

/** Declares a field of a stored document, or of an object in one. */
export function declareField(declaration: FieldDeclaration): PropertyDecorator {
  return (prototype, property) => {
    if (declaration.stored !== undefined) Prop(declaration.stored)(prototype, property);
    const before = ownFields.get(prototype) ?? [];
    ownFields.set(prototype, [...before, { ...declaration, name: String(property) }]);
  };
}

export function sentAs(options: FieldOptions, { rules, api }: SentKind): SentAs | undefined {
  const { sent, imported } = options;
  if (sent === undefined && imported === undefined) return undefined;
  return {
    byRequests: sent !== undefined,
    isRequired: imported === 'required',
    api: documented(documented(api, options), sent === true ? {} : (sent ?? {})),
    rules,
  };
}

export function documented(
  api: ApiPropertyOptions,
  { description, example }: Documentation,
): ApiPropertyOptions {
  return {
    ...api,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  };
}

/** The fields of a class in their order, those of its parent class first. */
export function fieldsOf(type: Type): readonly DeclaredField[] {
  const known = allFields.get(type);
  if (known !== undefined) return known;
  const parent = Object.getPrototypeOf(type) as Type;
  const inherited = parent === Function.prototype ? [] : fieldsOf(parent);
  const fields = [...inherited, ...(ownFields.get(type.prototype as object) ?? [])];
  allFields.set(type, fields);
  return fields;
}

/** A stored document, or an object in one, as responses show it. */
export function present<T extends object>(
  type: Type<T>,
  stored: object,
  language: Language,
): Shown<T> {
  const values = stored as Readonly<Record<string, unknown>>;
  const presented: Record<string, unknown> = {};
  for (const { name, shown } of fieldsOf(type)) {
    const value = shown?.read(values[name], language);
    if (value !== undefined) presented[name] = value;
  }
  return presented as Shown<T>;
}

/** What is stored of the fields that a request or an import sends, without its references. */
export function storedFields<T extends object>(type: Type<T>, values: object): Partial<T> {
  const fields: Record<string, unknown> = {};
  for (const { name, sent } of fieldsOf(type)) {
    if (sent === undefined || sent.refersTo !== undefined) continue;
    const value = (values as Readonly<Record<string, unknown>>)[name];
    const stored = sent.toStored === undefined ? value : sent.toStored(value);
    if (stored !== undefined) fields[name] = stored;
  }
  return fields as Partial<T>;
}

/** Whether a value is an object with the fields of a class that are sent. */
export function isSentObject(type: Type, value: unknown): boolean {
  return (
    isPlainObject(value) &&
    fieldsOf(type).every(({ name, sent }) => {
      if (sent === undefined) return true;
      return value[name] === undefined ? !sent.isRequired : isValid(sent.rules, value[name]);
    })
  );
}

/** The name of a reference in imports, and the field that stores its ids. */
export interface DeclaredReference {
  readonly field: string;
  readonly kind: ReferenceKind;
  readonly storedAs: string;
}

export function referencesOf(type: Type): DeclaredReference[] {
  return fieldsOf(type).flatMap(({ name, sent }) =>
    sent?.refersTo === undefined
      ? []
      : [{ field: sent.name ?? name, kind: sent.refersTo, storedAs: name }],
  );
}

/** The columns of a resource in a table that it has had not from the beginning. */
export function columnsOf<T>(type: Type<T>): (keyof T)[] {
  const columns = fieldsOf(type).filter(({ hasColumn }) => hasColumn === true);
  return columns.map(({ name }) => name as keyof T);
}
