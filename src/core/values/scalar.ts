/** Whether a value is a text, a number, an integer that a double does not hold, or a boolean. */
export function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || isWideInteger(value);
}

/** A scalar as text; empty for anything else. */
export function scalarText(value: unknown): string {
  return isScalar(value) ? String(value) : '';
}

/**
 * Whether a value is a 64-bit integer that a double does not hold. No request's object has this key (rule HTTP-8):
 * only the database's own values do.
 */
export function isWideInteger(value: unknown): boolean {
  return (value as Record<string, unknown> | null | undefined)?.['_bsontype'] === 'Long';
}
