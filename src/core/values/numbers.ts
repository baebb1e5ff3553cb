import { isLong } from './json.js';

export const mebibyte = 1_048_576;

/** @returns a string such as 1,024 */
export function limitText(limit: number): string {
  return limit.toLocaleString('en-US');
}

/** @returns null unless the text has only digits and its number is in the range */
export function parseInteger(
  value: unknown,
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
): number | null {
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return null;
  const number = Number(value);
  return number >= minimum && number <= maximum ? number : null;
}

/** @returns null unless the text is in plain decimal notation and at most the maximum */
export function parseDecimal(value: unknown, maximum = Number.MAX_SAFE_INTEGER): number | null {
  const isDecimal = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value);
  return isDecimal && Number(value) <= maximum ? Number(value) : null;
}

/** Accepts the database's 64-bit integers, which only {@link isAmount} refuses. */
function isFiniteNumber(value: unknown): boolean {
  return Number.isFinite(value) || isLong(value);
}

export function isQuantity(value: unknown): boolean {
  return isFiniteNumber(value) && Number(value) >= 0;
}

/** Refuses integers that a double would change (rule HTTP-8). */
export function isAmount(value: unknown): boolean {
  return isFiniteNumber(value) && !isLong(value);
}
