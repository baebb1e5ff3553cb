import type { Document } from 'mongodb';
import type { Schema } from 'mongoose';

/** Checks declared fields only: other programs store their own fields (rule DATA-2). */
export function documentValidator(schema: Schema): { readonly $jsonSchema: Document } {
  const generated = schema.toJSONSchema({ useBsonType: true }) as Document;
  const properties = generated['properties'] as Document;
  for (const [path, { options }] of Object.entries(schema.paths)) {
    const { bsonType } = options as { bsonType?: string };
    if (bsonType !== undefined) properties[path] = { bsonType: [bsonType, 'null'] };
  }
  // Enums are omitted because other programs may store values of their own. Sorting makes validators comparable.
  const text = JSON.stringify(generated, (key, value: unknown) => {
    if (key === 'enum') return undefined;
    return key === 'required' && Array.isArray(value) ? (value as string[]).toSorted() : value;
  });
  return { $jsonSchema: { bsonType: 'object', ...(JSON.parse(text) as Document) } };
}
