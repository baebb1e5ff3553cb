import type { ValueRules, ValueRule } from './rule.js';
import { isLong } from './json.js';

export const mebibyte = 1_048_576;

const exactNumber: ValueRule = {
  name: 'isExactNumber',
  isMet: (value) => !isLong(value),
  values: { digits: 15 },
};

export const amount: ValueRules = [{ name: 'isNumber', isMet: isFiniteNumber }, exactNumber];

export const quantity: ValueRules = [{ name: 'isQuantity', isMet: isQuantity }, exactNumber];

/** Accepts plain decimal notation without a sign or an exponent. */
export const decimal: ValueRule = {
  name: 'isPlainNumber',
  isMet: (value) => parseDecimal(value) !== null,
};

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

function isFiniteNumber(value: unknown): boolean {
  return Number.isFinite(value) || isLong(value);
}

function isQuantity(value: unknown): boolean {
  return isFiniteNumber(value) && Number(value) >= 0;
}
