import { applyDecorators, Body, type ExecutionContext, Query } from '@nestjs/common';
import {
  ApiProperty,
  type ApiPropertyOptions,
  ApiSchema,
  type ApiSchemaOptions,
} from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import {
  getMetadataStorage,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import { isPlainObject } from '../../values/json.js';
import type { ValueKind, Rule } from '../../values/rule.js';

export type DtoClass = new () => object;

const itemsKey = Symbol('items');
const nestedKeysKey = Symbol('allowedNestedKeys');

/** Optional unless `required`; null is never accepted. */
export function Field(api: ApiPropertyOptions, rules: ValueKind): PropertyDecorator {
  // On an object, `required` may also be its list of required fields.
  const isRequired = api.required === true;
  return applyDecorators(
    ApiProperty({ required: false, ...api } as ApiPropertyOptions),
    ...(isRequired ? [] : [ValidateIf((_object, value) => value !== undefined)]),
    ...rules.map(checkedBy),
  );
}

/** JSON Schema of rules over several fields, for the reference. */
export function FieldsTogether(
  rules:
    | { readonly anyOf: readonly { readonly required: readonly string[] }[] }
    | { readonly dependentRequired: Readonly<Record<string, readonly string[]>> },
): ClassDecorator {
  return ApiSchema(rules as ApiSchemaOptions);
}

interface Items {
  readonly type: DtoClass;
  readonly maxItems: number | null;
}

/** @param maxItems null if the field is one object instead of a list */
export function ItemsOf(type: DtoClass, maxItems: number | null): PropertyDecorator {
  return Reflect.metadata(itemsKey, { type, maxItems } satisfies Items);
}

/** Restricts the names in this object, or in each object of this list. */
export function AllowedNestedKeys(names: readonly string[]): PropertyDecorator {
  return Reflect.metadata(nestedKeysKey, names);
}

export function itemsOf({ prototype }: DtoClass, field: string): Items | undefined {
  return Reflect.getMetadata(itemsKey, prototype as object, field) as Items | undefined;
}

export function allowedNestedKeys(
  { prototype }: DtoClass,
  field: string,
): readonly string[] | undefined {
  return Reflect.getMetadata(nestedKeysKey, prototype as object, field) as
    readonly string[] | undefined;
}

function checkedBy({ name: message, isMet, values = {} }: Rule): PropertyDecorator {
  // Rules need unique names per field; one message may be about several parts.
  const name = `${message} ${values['property'] ?? ''}`;
  const validate = (value: unknown, args?: ValidationArguments) => isMet(value, args?.object);
  return ValidateBy({ name, validator: { validate } }, { message, context: values });
}

/** Objects and lists are copied: class-transformer would walk them and lose keys such as `constructor`. */
export function instantiate(type: DtoClass, plain: Readonly<Record<string, unknown>>): object {
  const fields = fieldNamesOf(type).filter((field) => Object.hasOwn(plain, field));
  const values = fields.map((field) => [field, plain[field]] as const);
  const scalars = values.filter(([, value]) => !isObject(value));
  const objects = values
    .filter(([, value]) => isObject(value))
    .map(([field, value]) => [field, instantiateItems(type, field, value)] as const);
  const dto = plainToInstance(type, Object.fromEntries(scalars));
  return Object.assign(dto, Object.fromEntries(objects));
}

function instantiateItems(type: DtoClass, field: string, value: unknown): unknown {
  const items = itemsOf(type, field);
  if (items === undefined) return value;
  if (items.maxItems === null) return isPlainObject(value) ? instantiate(items.type, value) : value;
  if (!Array.isArray(value)) return value;
  // The length alone rejects it: validating hundreds of thousands of items would block the process.
  if (value.length > items.maxItems) return Array.from({ length: items.maxItems + 1 }, () => ({}));
  // class-validator would validate a nested list item by item.
  return value.map((item: unknown) => (isPlainObject(item) ? instantiate(items.type, item) : null));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
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

type Part = 'query' | 'body';

const keys: Readonly<Record<Part, symbol>> = { query: Symbol('query'), body: Symbol('body') };

export const RequestBody = (): ParameterDecorator => declaring('body', Body());

export const RequestQuery = (): ParameterDecorator => declaring('query', Query());

function declaring(part: Part, inject: ParameterDecorator): ParameterDecorator {
  return (controller, method, index) => {
    inject(controller, method, index);
    if (method === undefined) throw new Error('Constructors have no part of a request.');
    const types = Reflect.getMetadata('design:paramtypes', controller, method) as DtoClass[];
    const { [method]: handler } = controller as Readonly<Record<string | symbol, object>>;
    if (handler !== undefined) Reflect.defineMetadata(keys[part], types[index], handler);
  };
}

export function declaredType(context: ExecutionContext, part: Part): DtoClass | undefined {
  return Reflect.getMetadata(keys[part], context.getHandler()) as DtoClass | undefined;
}
