/** Whether a value is a JSON object. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the database driver would read an object back as a reference, and take `$ref` apart at its dots. */
export function isDatabaseReference(object: object): boolean {
  return Object.hasOwn(object, '$ref') && Object.hasOwn(object, '$id');
}
