import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { Field } from '../../core/http/validation/field.js';
import type { Localized } from '../../core/localization/localized.js';
import { fieldsOf, type Shown } from './declared-fields.js';

/** A resource as requests and imports send it: any fields, of objects too, and names for ids. */
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

/** A class to whose prototype the decorators of fields are applied. */
const classNamed = (name: string): Type =>
  Object.defineProperty(class extends Object {}, 'name', { value: name });

const shownClasses = new WeakMap<Type, Type>();

/** Documents a resource in responses: `UnitDto` for `UnitDocument`. */
export function shownClass<T extends object>(type: Type<T>): Type<Shown<T>> {
  const known = shownClasses.get(type);
  if (known !== undefined) return known as Type<Shown<T>>;
  const shape = classNamed(`${type.name.replace(/Document$/, '')}Dto`);
  for (const { name, shown } of fieldsOf(type)) {
    if (shown !== undefined) ApiProperty(shown.api)(shape.prototype as object, name);
  }
  shownClasses.set(type, shape);
  return shape as Type<Shown<T>>;
}

/** The fields of a resource that requests send, with their rules and documentation. */
export function requestClass<T extends object>(type: Type<T>): Type<Sent<T>> {
  const request = classNamed(`${type.name}Request`);
  const prototype = request.prototype as object;
  for (const { name, sent } of fieldsOf(type)) {
    if (sent?.byRequests !== true) continue;
    const field = sent.name ?? name;
    // The compiler notes it of a declared field; the documentation needs it where `oneOf` stands for a type.
    Reflect.metadata('design:type', Object)(prototype, field);
    Field(sent.api, sent.rules)(prototype, field);
    sent.inRequests?.(prototype, field);
  }
  return request as Type<Sent<T>>;
}

/** The fields of a resource, or of an object in one, that imports send. */
export function importClass<T extends object>(type: Type<T>): Type<Sent<T>> {
  const entry = classNamed(`${type.name}Entry`);
  for (const { name, sent } of fieldsOf(type)) {
    if (sent === undefined) continue;
    const { isRequired: required, rules, inImports = Field({ required }, rules) } = sent;
    inImports(entry.prototype as object, sent.name ?? name);
  }
  return entry as Type<Sent<T>>;
}
