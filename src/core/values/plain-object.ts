/** Whether a value is a JSON object; an integer of the database is none. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !('_bsontype' in value);
}

/** As {@link isPlainObject}, for what is stored: a time is no object either. */
export function isStoredObject(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && !(value instanceof Date);
}

/** An object with its fields; without any where there is none. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The fields that have a value; the database driver would take an undefined one for null. */
export function withoutUndefined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Whether the database driver would read an object back as a reference, and take `$ref` apart at its dots. */
export function isDatabaseReference(object: object): boolean {
  return Object.hasOwn(object, '$ref') && Object.hasOwn(object, '$id');
}
