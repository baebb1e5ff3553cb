import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { emailRule } from '../values/email.js';
import { amount } from '../values/numbers.js';
import { isPlainObject } from '../values/json.js';
import { type ValueRules, oneOf, type ValueRule } from '../values/rule.js';
import { externalId, maxExternalIdLength, text } from '../values/text.js';
import { parsedTime, parseTime } from '../values/time.js';
import { type DtoClass, Field, NestedType } from './dto-field.js';

export const externalIdApi = {
  type: 'string',
  minLength: 1,
  maxLength: maxExternalIdLength,
  pattern: String.raw`^[^\x00]+$`,
} as const;

export function TextField(
  options: ApiPropertyOptions = {},
  rules: ValueRules = [],
): PropertyDecorator {
  return Field({ type: String, minLength: 1, ...options }, [...text, ...rules]);
}

export function ExternalIdField(options: ApiPropertyOptions): PropertyDecorator {
  return Field({ ...externalIdApi, ...options }, externalId);
}

export function EmailField(options: ApiPropertyOptions): PropertyDecorator {
  return Field({ type: String, format: 'email', ...options }, [emailRule]);
}

export function NumberField(options: ApiPropertyOptions): PropertyDecorator {
  return Field({ type: Number, ...options }, amount);
}

export function BooleanField(options: ApiPropertyOptions = {}): PropertyDecorator {
  const boolean: ValueRule = { name: 'isBoolean', isMet: (value) => typeof value === 'boolean' };
  return Field({ type: Boolean, ...options }, [boolean]);
}

export function TimeField(options: ApiPropertyOptions): PropertyDecorator {
  const api = { type: String, format: 'date-time', ...options } as ApiPropertyOptions;
  const parsed = Transform(({ value }: { value: unknown }) => parseTime(value) ?? value);
  return applyDecorators(Field(api, parsedTime), parsed);
}

/** An invalid status gets two messages (rule CALL-1). */
export function StatusField(
  statuses: readonly string[],
  options: ApiPropertyOptions,
  rules: ValueRules = [],
): PropertyDecorator {
  const member = oneOf(statuses);
  return Field({ type: String, enum: [...statuses], example: statuses[1], ...options }, [
    ...rules,
    { ...member, name: 'isValidEnum' },
    member,
  ]);
}

export function ObjectField(
  options: ApiPropertyOptions,
  rules: ValueRules = [],
): PropertyDecorator {
  const api = { type: 'object', additionalProperties: true, ...options } as ApiPropertyOptions;
  return Field(api, [...rules, { name: 'isObject', isMet: isPlainObject }]);
}

/** A `required` list must not be empty. */
export function ItemsField(
  type: DtoClass,
  options: ApiPropertyOptions & { maxItems: number },
  rules: ValueRules = [],
): PropertyDecorator {
  return applyDecorators(
    SeparatelyValidatedItems(type, options, rules),
    ValidateNested({ each: true, message: 'isObject' }),
  );
}

/** Differs from {@link ItemsField}: the service validates each item, and null is not an object. */
export function SeparatelyValidatedItems(
  type: DtoClass,
  { maxItems, ...options }: ApiPropertyOptions & { maxItems: number },
  rules: ValueRules = [],
): PropertyDecorator {
  const isRequired = options.required === true;
  return applyDecorators(
    Field({ type: [type], ...(isRequired && { minItems: 1 }), maxItems, ...options }, [
      ...(isRequired ? [notEmpty] : []),
      ...rules,
      atMostItems(maxItems),
      { name: 'isArray', isMet: Array.isArray },
    ]),
    NestedType({ type, maxItems }),
  );
}

export function NestedField(type: DtoClass, options: ApiPropertyOptions = {}): PropertyDecorator {
  return applyDecorators(
    Field({ type, ...options }, [{ name: 'isObject', isMet: isPlainObject }]),
    NestedType({ type, maxItems: null }),
    ValidateNested({ message: 'isObject' }),
  );
}

const notEmpty: ValueRule = {
  name: 'arrayNotEmpty',
  isMet: (list) => !Array.isArray(list) || list.length > 0,
};

/** Accepts values other than lists, so that only their type is reported. */
export function atMostItems(limit: number): ValueRule {
  return {
    name: 'arrayMaxSize',
    isMet: (items) => !Array.isArray(items) || items.length <= limit,
    values: { limit },
  };
}
