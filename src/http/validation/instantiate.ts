import {
  type ClassConstructor,
  type ClassTransformOptions,
  plainToInstance,
} from 'class-transformer';
import { getMetadataStorage } from 'class-validator';

type Plain = Readonly<Record<string, unknown>>;

/**
 * Makes an instance of a DTO from a request's plain object: the declared fields only, objects and
 * arrays taken over as they are. class-transformer handles the other values; walking free-form
 * objects with it loses keys named `constructor` or fails on them.
 */
export function instantiate<T>(
  type: ClassConstructor<T>,
  value: unknown,
  options?: ClassTransformOptions,
): T {
  const plain = value as Plain;
  const fields = declaredFields(type).filter((field) => Object.hasOwn(plain, field));
  const isVerbatim = (field: string) => typeof plain[field] === 'object' && plain[field] !== null;
  const simple = pick(
    plain,
    fields.filter((field) => !isVerbatim(field)),
  );
  const verbatim = pick(plain, fields.filter(isVerbatim));
  const instance = Object.assign(plainToInstance(type, simple, options) as object, verbatim);
  return instantiateItems(type, instance, options) as T;
}

const itemTypes = new WeakMap<object, Map<string, ClassConstructor<unknown>>>();

/** Notes that a field of a DTO holds a list of objects that are a DTO each. */
export function registerItems(
  type: object,
  field: string,
  itemType: ClassConstructor<unknown>,
): void {
  const fields = itemTypes.get(type) ?? new Map<string, ClassConstructor<unknown>>();
  itemTypes.set(type, fields.set(field, itemType));
}

function instantiateItems(
  type: object,
  instance: Record<string, unknown>,
  options?: ClassTransformOptions,
): object {
  for (const [field, itemType] of itemTypes.get(type) ?? []) {
    const items = instance[field];
    if (!Array.isArray(items)) continue;
    instance[field] = items.map((item: unknown) =>
      isPlainObject(item) ? instantiate(itemType, item, options) : item,
    );
  }
  return instance;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const fieldsByType = new WeakMap<object, readonly string[]>();

/** The fields of a DTO that have a rule. */
export function declaredFields(type: ClassConstructor<unknown>): readonly string[] {
  const known = fieldsByType.get(type);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const fields = [...new Set(rules.map(({ propertyName }) => propertyName))];
  fieldsByType.set(type, fields);
  return fields;
}

function pick(plain: Plain, fields: readonly string[]): Plain {
  return Object.fromEntries(fields.map((field) => [field, plain[field]]));
}
