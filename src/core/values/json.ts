/** The type that the framework gives to objects; a response of bytes must name it itself. */
export const jsonContentType = 'application/json; charset=utf-8';

export function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || isLong(value);
}

/** Returns an empty string for other values. */
export function scalarText(value: unknown): string {
  return isScalar(value) ? String(value) : '';
}

/** Recognizes the driver's 64-bit integers by a key that requests cannot send (rule HTTP-8). */
export function isLong(value: unknown): boolean {
  return (value as Record<string, unknown> | null | undefined)?.['_bsontype'] === 'Long';
}

/** Returns false for lists and for the database's 64-bit integers. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !('_bsontype' in value);
}

/** Returns false for stored times, too. */
export function isStoredObject(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && !(value instanceof Date);
}

/** Returns an empty object for other values. */
export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Omits other values that other programs have stored in the list. */
export function onlyObjects<T>(list: readonly T[] | null | undefined): T[] {
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

const escapedLineBreaks = [
  ['\u{85}', '\\u0085'],
  ['\u{2028}', '\\u2028'],
  ['\u{2029}', '\\u2029'],
] as const;

/** Writes a line of NDJSON. Some readers, such as Python's `splitlines`, also break lines at these characters. */
export function jsonLine(json: string): string {
  let line = json;
  for (const [character, escaped] of escapedLineBreaks) line = line.replaceAll(character, escaped);
  return `${line}\n`;
}
