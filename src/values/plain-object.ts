/** Whether a value is a JSON object; an integer of the database is none. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !('_bsontype' in value);
}

/** Whether the database driver would read an object back as a reference, and take `$ref` apart at its dots. */
export function isDatabaseReference(object: object): boolean {
  return Object.hasOwn(object, '$ref') && Object.hasOwn(object, '$id');
}
