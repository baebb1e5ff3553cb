import type { ValueKind, Rule } from './rule.js';
import { isWideInteger } from './scalar.js';

/** In bytes. */
export const mebibyte = 1_048_576;

const exact: Rule = {
  name: 'isExactNumber',
  isMet: (value) => !isWideInteger(value),
  values: { digits: 15 },
};

/** A finite number that a double holds. */
export const amount: ValueKind = [{ name: 'isNumber', isMet: isFiniteNumber }, exact];

/** As {@link amount}, not negative: a price, an area, a count. */
export const quantity: ValueKind = [{ name: 'isQuantity', isMet: isQuantity }, exact];

/** Text of a number that is not negative, in plain decimal notation. */
export const decimal: Rule = {
  name: 'isPlainNumber',
  isMet: (value) => parseDecimal(value) !== null,
};

/** A limit as people read it, such as 1,024. */
export function limitText(limit: number): string {
  return limit.toLocaleString('en-US');
}

/** The whole number of a text of decimal digits, null outside of the range. */
export function parseInteger(
  value: unknown,
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
): number | null {
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return null;
  const number = Number(value);
  return number >= minimum && number <= maximum ? number : null;
}

/** The number of a text in plain decimal notation, null when it is larger. */
export function parseDecimal(value: unknown, maximum = Number.MAX_SAFE_INTEGER): number | null {
  const isDecimal = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value);
  return isDecimal && Number(value) <= maximum ? Number(value) : null;
}

function isFiniteNumber(value: unknown): boolean {
  return Number.isFinite(value) || isWideInteger(value);
}

function isQuantity(value: unknown): boolean {
  return isFiniteNumber(value) && Number(value) >= 0;
}
