import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  getMetadataStorage,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import type { ValueKind, Rule } from '../../values/rule.js';

type Conversion = (value: unknown) => unknown;

/** A class of which a request's body, query or path is made. */
export type DtoClass = new () => object;

const conversionKey = Symbol('conversion');

/**
 * A field of a request that may be left out, but not sent as null.
 *
 * @param convert makes what the DTO holds from what was sent, before the rules look at it
 */
export function Field(
  api: ApiPropertyOptions,
  rules: ValueKind,
  convert?: Conversion,
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional(api),
    ValidateIf((_object, value) => value !== undefined),
    ...rules.map(checkedBy),
    Reflect.metadata(conversionKey, convert),
  );
}

/** A field of a request that has to be there. */
export function RequiredField(api: ApiPropertyOptions, rules: ValueKind): PropertyDecorator {
  return applyDecorators(ApiProperty(api), ...rules.map(checkedBy));
}

function checkedBy({ name: message, isMet, values = {} }: Rule): PropertyDecorator {
  // Rules of one field need names of their own; a message may be about several parts of a field.
  const name = `${message} ${values['property'] ?? ''}`;
  const validate = (value: unknown, args?: ValidationArguments) => isMet(value, args?.object);
  return ValidateBy({ name, validator: { validate } }, { message, context: values });
}

/**
 * Makes a DTO from a request's plain object: the declared fields only, their values taken over as
 * they are. (class-transformer would walk free-form objects, lose keys such as `constructor` or fail
 * on them.)
 */
export function instantiate(type: DtoClass, plain: object): object {
  const { prototype } = type as { prototype: object };
  const fields = fieldsOf(type).filter((field) => Object.hasOwn(plain, field));
  const entries = fields.map((field): [string, unknown] => {
    const value = (plain as Record<string, unknown>)[field];
    const convert = Reflect.getMetadata(conversionKey, prototype, field) as Conversion | undefined;
    return [field, convert === undefined ? value : convert(value)];
  });
  return Object.assign(new type(), Object.fromEntries(entries));
}

/** The fields of a DTO that have a rule. */
export function fieldsOf(type: DtoClass): readonly string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}
