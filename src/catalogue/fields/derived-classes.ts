import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Field } from '../../core/http/validation/field.js';
import { fieldsOf } from './declared-fields.js';
import type { Sent, Shown } from './derived-types.js';

/** A class to whose prototype the decorators of fields are applied. */
const classNamed = (name: string): Type =>
  Object.defineProperty(class extends Object {}, 'name', { value: name });

const shownClasses = new WeakMap<Type, Type>();

/** Documents a resource in responses: `UnitDto` for `UnitDocument`. */
export function shownClass<T extends object>(type: Type<T>): Type<Shown<T>> {
  const known = shownClasses.get(type) ?? makeShownClass(type);
  shownClasses.set(type, known);
  return known as Type<Shown<T>>;
}

function makeShownClass(type: Type): Type {
  const shape = classNamed(`${type.name.replace(/Document$/, '')}Dto`);
  for (const { name, shown } of fieldsOf(type)) {
    if (shown !== undefined) ApiProperty(shown.api)(shape.prototype as object, name);
  }
  return shape;
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
