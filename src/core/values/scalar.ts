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
