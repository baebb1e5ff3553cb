import type { Type } from '@nestjs/common';
import { DECORATORS } from '@nestjs/swagger';

interface FieldOptions {
  readonly type?: unknown;
  readonly isArray?: boolean;
  readonly example?: unknown;
}

export function typeExample({ prototype }: Type): Readonly<Record<string, unknown>> {
  const keys = Reflect.getMetadata(
    DECORATORS.API_MODEL_PROPERTIES_ARRAY,
    prototype as object,
  ) as readonly string[];
  // The library stores field names with a leading colon.
  const fields = keys.map((key) => key.slice(1));
  const examples = fields.map(
    (field) => [field, fieldExample(prototype as object, field)] as const,
  );
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined));
}

function fieldExample(prototype: object, field: string): unknown {
  const { type, isArray, example } = Reflect.getMetadata(
    DECORATORS.API_MODEL_PROPERTIES,
    prototype,
    field,
  ) as FieldOptions;
  if (example !== undefined) return example;
  if (!isDocumented(type)) return undefined;
  return isArray === true ? [typeExample(type)] : typeExample(type);
}

function isDocumented(type: unknown): type is Type {
  if (typeof type !== 'function') return false;
  return Reflect.hasMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, type.prototype as object);
}
