import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import type { Schema } from 'mongoose';

/**
 * The `$jsonSchema` validator of a collection: the types of the fields that are present, any
 * numeric type for a number, null for what is not required; everything else is allowed, because
 * other programs store fields of their own in the same documents (rule DATA-2).
 */
export function documentValidator(schema: Schema): Document {
  const generated = schema.toJSONSchema({ useBsonType: true }) as Document;
  const properties = generated['properties'] as Document;
  for (const [path, { options }] of Object.entries(schema.paths)) {
    // A free-form field has no type of its own for mongoose; `bsonType` in its options gives it one.
    const { bsonType } = options as { bsonType?: string };
    if (bsonType !== undefined) properties[path] = { bsonType: [bsonType, 'null'] };
  }
  return { $jsonSchema: { bsonType: 'object', ...typesOnly(generated) } };
}

/** Whether two validators are the same; in which order required fields are listed means nothing. */
export function isSameValidator(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(withSortedRequired(a), withSortedRequired(b));
}

interface StoredValidator {
  readonly $jsonSchema?: { readonly required?: readonly string[] };
}

function withSortedRequired(validator: unknown): unknown {
  const { $jsonSchema: schema, ...rest } = (validator ?? {}) as StoredValidator;
  return { ...rest, $jsonSchema: { ...schema, required: schema?.required?.toSorted() } };
}

/** Drops the lists of allowed values: the contract is about types, values belong to the programs. */
function typesOnly(node: Document): Document {
  const { enum: _values, ...rest } = node;
  if (rest['properties'] !== undefined) {
    rest['properties'] = Object.fromEntries(
      Object.entries(rest['properties'] as Document).map(([name, child]) => [
        name,
        typesOnly(child as Document),
      ]),
    );
  }
  if (rest['items'] !== undefined) rest['items'] = typesOnly(rest['items'] as Document);
  return rest;
}
