import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Language } from '../../localization/language.js';

/** Reads a stored value as the API shows it; undefined leaves the field out. */
export type Reader = (stored: unknown, language: Language) => unknown;

/** The JSON of what the {@link Reader} of the same field gives, made without it where that is quicker. */
export type JsonWriter = (stored: unknown, language: Language) => string | undefined;

interface Field {
  readonly name: string;
  readonly read: Reader;
  readonly json: JsonWriter;
  /** Its name as JSON has it, with what stands around it, at the beginning of an object and behind another field. */
  readonly opening: string;
  readonly following: string;
}

const fieldsByPrototype = new WeakMap<object, readonly Field[]>();

/** Documents a field of a response, and says how the stored value of the same name is shown. */
export function Presented(
  read: Reader,
  options: ApiPropertyOptions,
  json: JsonWriter = (stored, language) => JSON.stringify(read(stored, language)),
): PropertyDecorator {
  return (prototype, property) => {
    ApiProperty(options)(prototype, property);
    const name = String(property);
    const label = `${JSON.stringify(name)}:`;
    const field = { name, read, json, opening: `{${label}`, following: `,${label}` };
    fieldsByPrototype.set(prototype, [...fieldsOf(prototype), field]);
  };
}

/**
 * A stored document as a response class shows it: the fields that the class declares with
 * {@link Presented}, in their order, those of its parent class first.
 */
export function present<T extends object>(shape: Type<T>, stored: object, language: Language): T {
  const values = stored as Readonly<Record<string, unknown>>;
  const presented: Record<string, unknown> = {};
  for (const { name, read } of fieldsOf(shape.prototype as object)) {
    const value = read(values[name], language);
    if (value !== undefined) presented[name] = value;
  }
  return presented as T;
}

/**
 * The JSON of {@link present}, without the objects, which would cost a large response more than all
 * else that is done for it.
 *
 * @param rest further fields behind those of the class, as JSON; each begins with its comma
 */
export function presentedJson(
  shape: Type<object>,
  stored: object,
  language: Language,
  rest = '',
): string {
  const values = stored as Readonly<Record<string, unknown>>;
  let json = '';
  for (const field of fieldsOf(shape.prototype as object)) {
    const value = field.json(values[field.name], language);
    if (value !== undefined) json += (json === '' ? field.opening : field.following) + value;
  }
  return `${json === '' ? '{' : json}${rest}}`;
}

/** The fields of a class; one that declares none has those of its parent class. */
function fieldsOf(prototype: object | null): readonly Field[] {
  if (prototype === null) return [];
  return fieldsByPrototype.get(prototype) ?? fieldsOf(Object.getPrototypeOf(prototype) as object);
}
