import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { Field } from '../http/validation/field.js';
import type { Localized } from '../localization/language.js';
import { declaredFieldsOf, type Shown } from './declared-fields.js';

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
  const request = classNamed(`${type.name}Request`);
  const prototype = request.prototype as object;
  for (const { name, sent } of declaredFieldsOf(type)) {
    if (sent?.byRequests !== true) continue;
    const field = sent.name ?? name;
    // The compiler adds this to declared fields; without it the reference cannot document `oneOf`.
    Reflect.metadata('design:type', Object)(prototype, field);
    const { rules, inRequests = (api) => Field(api, rules) } = sent;
    inRequests(sent.api)(prototype, field);
  }
  return request as Type<Sent<T>>;
}

export function importClass<T extends object>(type: Type<T>): Type<Sent<T>> {
  const entry = classNamed(`${type.name}Entry`);
  for (const { name, sent } of declaredFieldsOf(type)) {
    if (sent === undefined) continue;
    const { isRequired: required, rules, inImports = (api) => Field(api, rules) } = sent;
    inImports({ required })(entry.prototype as object, sent.name ?? name);
  }
  return entry as Type<Sent<T>>;
}
