import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Language } from '../../core/localization/language.js';

/** Reads a stored value as the API shows it; undefined leaves the field out. */
export type Reader = (stored: unknown, language: Language) => unknown;

interface Field {
  readonly name: string;
  readonly read: Reader;
}

const fieldsByPrototype = new WeakMap<object, readonly Field[]>();

/** Documents a field of a response, and says how the stored value of the same name is shown. */
export function Presented(read: Reader, options: ApiPropertyOptions): PropertyDecorator {
  return (prototype, property) => {
    ApiProperty(options)(prototype, property);
    const field = { name: String(property), read };
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

/** The fields of a class; one that declares none has those of its parent class. */
function fieldsOf(prototype: object | null): readonly Field[] {
  if (prototype === null) return [];
  return fieldsByPrototype.get(prototype) ?? fieldsOf(Object.getPrototypeOf(prototype) as object);
}
