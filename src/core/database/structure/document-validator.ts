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
  // Without lists of allowed values: the contract is about types, values belong to the programs. Sorted,
  // because the order of required fields means nothing where two validators are compared.
  const text = JSON.stringify(generated, (key, value: unknown) => {
    if (key === 'enum') return undefined;
    return key === 'required' && Array.isArray(value) ? (value as string[]).toSorted() : value;
  });
  return { $jsonSchema: { bsonType: 'object', ...(JSON.parse(text) as Document) } };
}
