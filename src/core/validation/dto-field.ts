import { applyDecorators } from '@nestjs/common';
import {
  ApiProperty,
  type ApiPropertyOptions,
  ApiSchema,
  type ApiSchemaOptions,
} from '@nestjs/swagger';
import {
  getMetadataStorage,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import type { ValueRules, ValueRule } from '../values/rule.js';

export type DtoClass<T extends object = object> = new () => T;

const nestedKey = Symbol('nested');
const nullKey = Symbol('null');

/** Optional unless `required`. Null counts as not sent (rule HTTP-9), unless it is documented as a value. */
export function Field(api: ApiPropertyOptions, rules: ValueRules): PropertyDecorator {
  // On an object, `required` may also be its list of required fields.
  const isRequired = api.required === true;
  const { nullable: isNullable = false } = api as { nullable?: boolean };
  return applyDecorators(
    Reflect.metadata(nullKey, isRequired || isNullable),
    ApiProperty({ required: false, ...api } as ApiPropertyOptions),
    ...(isRequired ? [] : [ValidateIf((_object, value) => value !== undefined)]),
    ...rules.map(validatedBy),
  );
}

/** Documents rules over several fields as JSON Schema, but does not check them. */
export function CrossFieldRules(
  rules:
    | { readonly anyOf: readonly { readonly required: readonly string[] }[] }
    | { readonly dependentRequired: Readonly<Record<string, readonly string[]>> },
): ClassDecorator {
  return ApiSchema(rules as ApiSchemaOptions);
}

/** A list of objects has `maxItems`; a single object has null. */
type Nested =
  | { readonly type: DtoClass; readonly maxItems: number | null }
  | { readonly names: readonly string[] };

export function NestedType(nested: Nested): PropertyDecorator {
  return Reflect.metadata(nestedKey, nested);
}

export function nestedTypeOf({ prototype }: DtoClass, field: string): Nested | undefined {
  return Reflect.getMetadata(nestedKey, prototype as object, field) as Nested | undefined;
}

/** The rules of such a field judge null; for any other field, null means that it was not sent. */
export function judgesNull({ prototype }: DtoClass, field: string): boolean {
  return Reflect.getMetadata(nullKey, prototype as object, field) === true;
}

function validatedBy({ name: message, isMet, values = {} }: ValueRule): PropertyDecorator {
  // class-validator needs unique names per field; one message may be about several parts.
  const name = `${message} ${values['property'] ?? ''}`;
  const validate = (value: unknown, args?: ValidationArguments) => isMet(value, args?.object);
  return ValidateBy({ name, validator: { validate } }, { message, context: values });
}

const fieldsByType = new WeakMap<DtoClass, ReadonlySet<string>>();

/** Returns the names of the fields in the order of declaration. */
export function fieldNamesOf(type: DtoClass): ReadonlySet<string> {
  const known = fieldsByType.get(type);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const fields = new Set(rules.map(({ propertyName }) => propertyName));
  fieldsByType.set(type, fields);
  return fields;
}
