import { applyDecorators } from '@nestjs/common';
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
import { isPlainObject } from '../../values/plain-object.js';
import type { ValueKind, Rule } from '../../values/rule.js';

/** A class of which a request's body, query or path is made. */
export type DtoClass = new () => object;

const itemsKey = Symbol('items');
const namesInsideKey = Symbol('namesInside');

/** A field of a request; one that is not `required` may be left out, but not sent as null. */
export function Field(api: ApiPropertyOptions, rules: ValueKind): PropertyDecorator {
  // The list of an object's required fields is not about the object itself.
  const isRequired = api.required === true;
  return applyDecorators(
    ApiProperty({ required: false, ...api } as ApiPropertyOptions),
    ...(isRequired ? [] : [ValidateIf((_object, value) => value !== undefined)]),
    ...rules.map(checkedBy),
  );
}

/** What the reference says of the fields of an object together, in words of JSON Schema. */
export function FieldsTogether(
  rules:
    | { readonly anyOf: readonly { readonly required: readonly string[] }[] }
    | { readonly dependentRequired: Readonly<Record<string, readonly string[]>> },
): ClassDecorator {
  return ApiSchema(rules as ApiSchemaOptions);
}

/** The objects in a field that become DTOs too: those of a list and how many at most, or a single one. */
interface Items {
  readonly type: DtoClass;
  readonly maxItems: number | null;
}

/** The objects in the list of this field become DTOs too. */
export function ItemsOf(type: DtoClass, maxItems: number): PropertyDecorator {
  return Reflect.metadata(itemsKey, { type, maxItems } satisfies Items);
}

/** The object in this field becomes a DTO too. */
export function ObjectOf(type: DtoClass): PropertyDecorator {
  return Reflect.metadata(itemsKey, { type, maxItems: null } satisfies Items);
}

/** The names that the object in this field, or each object in its list, may have. */
export function NamesInside(names: readonly string[]): PropertyDecorator {
  return Reflect.metadata(namesInsideKey, names);
}

/** The objects of a field that become DTOs; undefined where it takes none. */
export function itemsOf({ prototype }: DtoClass, field: string): Items | undefined {
  return Reflect.getMetadata(itemsKey, prototype as object, field) as Items | undefined;
}

/** The names that objects in a field may have, undefined where that is not restricted. */
export function namesInside({ prototype }: DtoClass, field: string): readonly string[] | undefined {
  return Reflect.getMetadata(namesInsideKey, prototype as object, field) as
    readonly string[] | undefined;
}

function checkedBy({ name: message, isMet, values = {} }: Rule): PropertyDecorator {
  // Rules of one field need names of their own; a message may be about several parts of a field.
  const name = `${message} ${values['property'] ?? ''}`;
  const validate = (value: unknown, args?: ValidationArguments) => isMet(value, args?.object);
  return ValidateBy({ name, validator: { validate } }, { message, context: values });
}

/**
 * Makes a DTO from a request's plain object: the declared fields only. Objects and lists are taken
 * over as they are, because class-transformer would walk free-form ones, lose keys such as
 * `constructor` or fail on them.
 */
export function instantiate(type: DtoClass, plain: Readonly<Record<string, unknown>>): object {
  const fields = fieldsOf(type).filter((field) => Object.hasOwn(plain, field));
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
  // Its length alone refuses it: judging hundreds of thousands of items would hold up the process.
  if (value.length > items.maxItems) return Array.from({ length: items.maxItems + 1 }, () => ({}));
  // What is no object is rejected as such; class-validator would take a list for more items.
  return value.map((item: unknown) => (isPlainObject(item) ? instantiate(items.type, item) : null));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

const fieldsByType = new WeakMap<DtoClass, readonly string[]>();

/** The fields of a DTO that have a rule. */
export function fieldsOf(type: DtoClass): readonly string[] {
  const known = fieldsByType.get(type);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const fields = [...new Set(rules.map(({ propertyName }) => propertyName))];
  fieldsByType.set(type, fields);
  return fields;
}
