export function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || isWideInteger(value);
}

/** Empty for other values. */
export function scalarText(value: unknown): string {
  return isScalar(value) ? String(value) : '';
}

/** A 64-bit integer beyond a double. Requests cannot send the key (rule HTTP-8). */
export function isWideInteger(value: unknown): boolean {
  return (value as Record<string, unknown> | null | undefined)?.['_bsontype'] === 'Long';
}

/** A JSON object; not a 64-bit integer of the database. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !('_bsontype' in value);
}

/** A stored value may be a time, which is no object here. */
export function isStoredObject(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && !(value instanceof Date);
}

/** An object without fields replaces another value. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The objects of a list, without what else other programs stored in it. */
export function objectsIn<T>(list: readonly T[] | null | undefined): T[] {
  const items: readonly T[] = Array.isArray(list) ? list : [];
  return items.filter((item) => typeof item === 'object' && item !== null);
}

/** The driver would store undefined as null. */
export function withoutUndefined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The driver would read such an object back as a reference and split `$ref` at its dots. */
export function isDatabaseReference(object: object): boolean {
  return Object.hasOwn(object, '$ref') && Object.hasOwn(object, '$id');
}
