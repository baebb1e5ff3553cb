import { applyDecorators, Body, type ExecutionContext, Query } from '@nestjs/common';
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
import type { ValueRules, ValueRule } from '../../values/rule.js';

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

const fieldsByType = new WeakMap<DtoClass, readonly string[]>();

export function fieldNamesOf(type: DtoClass): readonly string[] {
  const known = fieldsByType.get(type);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const fields = [...new Set(rules.map(({ propertyName }) => propertyName))];
  fieldsByType.set(type, fields);
  return fields;
}

type RequestPart = 'query' | 'body';

const partKeys: Readonly<Record<RequestPart, symbol>> = {
  query: Symbol('query'),
  body: Symbol('body'),
};

export const RequestBody = (): ParameterDecorator => declareRequestPart('body', Body());

export const RequestQuery = (): ParameterDecorator => declareRequestPart('query', Query());

function declareRequestPart(part: RequestPart, inject: ParameterDecorator): ParameterDecorator {
  return (controller, method, index) => {
    inject(controller, method, index);
    if (method === undefined) throw new Error('Constructors have no part of a request.');
    const types = Reflect.getMetadata('design:paramtypes', controller, method) as DtoClass[];
    const { [method]: handler } = controller as Readonly<Record<string | symbol, object>>;
    if (handler !== undefined) Reflect.defineMetadata(partKeys[part], types[index], handler);
  };
}

export function declaredType(context: ExecutionContext, part: RequestPart): DtoClass | undefined {
  return Reflect.getMetadata(partKeys[part], context.getHandler()) as DtoClass | undefined;
}
