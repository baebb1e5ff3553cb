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
  return Object.assign(plainToInstance(type, simple, options) as object, verbatim) as T;
}

const fieldsByType = new WeakMap<object, readonly string[]>();

function declaredFields(type: ClassConstructor<unknown>): readonly string[] {
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
