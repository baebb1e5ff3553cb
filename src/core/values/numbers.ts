import type { ValueKind, Rule } from './rule.js';
import { isWideInteger } from './json.js';

export const mebibyte = 1_048_576;

const exact: Rule = {
  name: 'isExactNumber',
  isMet: (value) => !isWideInteger(value),
  values: { digits: 15 },
};

/** A finite number within a double. */
export const amount: ValueKind = [{ name: 'isNumber', isMet: isFiniteNumber }, exact];

/** An {@link amount} from 0. */
export const quantity: ValueKind = [{ name: 'isQuantity', isMet: isQuantity }, exact];

/** The text of a number from 0 in plain decimal notation. */
export const decimal: Rule = {
  name: 'isPlainNumber',
  isMet: (value) => parseDecimal(value) !== null,
};

/** @returns a text such as 1,024 */
export function limitText(limit: number): string {
  return limit.toLocaleString('en-US');
}

/** @returns null unless the text has only digits and the number is in the range */
export function parseInteger(
  value: unknown,
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
): number | null {
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return null;
  const number = Number(value);
  return number >= minimum && number <= maximum ? number : null;
}

/** @returns null unless the text is a number in plain decimal notation up to the maximum */
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
