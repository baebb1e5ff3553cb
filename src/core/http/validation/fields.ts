import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isEmail, ValidateNested } from 'class-validator';
import { amount } from '../../values/numbers.js';
import { isPlainObject } from '../../values/plain-object.js';
import { type ValueKind, oneOf, type Rule } from '../../values/rule.js';
import { externalId, externalIdLimit, text } from '../../values/text.js';
import { parseTime } from '../../values/time.js';
import { type DtoClass, Field, ItemsOf, ObjectOf } from './field.js';

/** How an external id is documented. */
export const externalIdApi = {
  type: 'string',
  minLength: 1,
  maxLength: externalIdLimit,
  pattern: String.raw`^[^\x00]+$`,
} as const;

/** A text that is not empty. */
export function TextField(
  options: ApiPropertyOptions = {},
  rules: ValueKind = [],
): PropertyDecorator {
  return Field({ type: String, minLength: 1, ...options }, [...text, ...rules]);
}

/** The id of something in an outside system. */
export function ExternalIdField(options: ApiPropertyOptions): PropertyDecorator {
  return Field({ ...externalIdApi, ...options }, externalId);
}

export function EmailField(options: ApiPropertyOptions): PropertyDecorator {
  const email: Rule = { name: 'isEmail', isMet: (value) => isEmail(value) };
  return Field({ type: String, format: 'email', ...options }, [email]);
}

/** A finite number. */
export function NumberField(options: ApiPropertyOptions): PropertyDecorator {
  return Field({ type: Number, ...options }, amount);
}

export function BooleanField(options: ApiPropertyOptions = {}): PropertyDecorator {
  const boolean: Rule = { name: 'isBoolean', isMet: (value) => typeof value === 'boolean' };
  return Field({ type: Boolean, ...options }, [boolean]);
}

/** A time, which the DTO holds as a `Date`. */
export function TimeField(options: ApiPropertyOptions): PropertyDecorator {
  const api = { type: String, format: 'date-time', ...options } as ApiPropertyOptions;
  const time: Rule = { name: 'isTime', isMet: (value) => value instanceof Date };
  const parsed = Transform(({ value }: { value: unknown }) => parseTime(value) ?? value);
  return applyDecorators(Field(api, [time]), parsed);
}

/** One of some statuses; anything else is rejected with two messages (rule CALL-1). */
export function StatusField(
  statuses: readonly string[],
  options: ApiPropertyOptions,
  rules: ValueKind = [],
): PropertyDecorator {
  const member = oneOf(statuses);
  return Field({ type: String, enum: [...statuses], example: statuses[1], ...options }, [
    ...rules,
    { ...member, name: 'isValidEnum' },
    member,
  ]);
}

/** A JSON object of any content, kept exactly as it is. */
export function ObjectField(options: ApiPropertyOptions, rules: ValueKind = []): PropertyDecorator {
  const api = { type: 'object', additionalProperties: true, ...options } as ApiPropertyOptions;
  return Field(api, [...rules, { name: 'isObject', isMet: isPlainObject }]);
}

/** A list of objects, each checked as a DTO of its own; one that is `required` must not be empty. */
export function ItemsField(
  type: DtoClass,
  options: ApiPropertyOptions & { maxItems: number },
  rules: ValueKind = [],
): PropertyDecorator {
  return applyDecorators(
    SeparateItems(type, options, rules),
    ValidateNested({ each: true, message: 'nestedValidation' }),
  );
}

/** As {@link ItemsField}, but the service checks each item; null is no object. */
export function SeparateItems(
  type: DtoClass,
  { maxItems, ...options }: ApiPropertyOptions & { maxItems: number },
  rules: ValueKind = [],
): PropertyDecorator {
  const isRequired = options.required === true;
  return applyDecorators(
    Field({ type: [type], ...(isRequired && { minItems: 1 }), maxItems, ...options }, [
      ...(isRequired ? [notEmpty] : []),
      ...rules,
      atMostItems(maxItems),
      { name: 'isArray', isMet: Array.isArray },
    ]),
    ItemsOf(type, maxItems),
  );
}

/** An object that is checked as a DTO of its own. */
export function NestedField(type: DtoClass, options: ApiPropertyOptions = {}): PropertyDecorator {
  return applyDecorators(
    ObjectField(options),
    ObjectOf(type),
    ValidateNested({ message: 'nestedValidation' }),
  );
}

const notEmpty: Rule = {
  name: 'arrayNotEmpty',
  isMet: (list) => !Array.isArray(list) || list.length > 0,
};

/** For lists; anything else passes, so that only its type is reported. */
export function atMostItems(limit: number): Rule {
  return {
    name: 'arrayMaxSize',
    isMet: (items) => !Array.isArray(items) || items.length <= limit,
    values: { limit },
  };
}
