import { parse as parseWithNumbers } from 'json-custom-numbers';
import { isDatabaseReference, isPlainObject } from '../../values/json.js';
import { isStorableText } from '../../values/text.js';
import { DomainError, type ErrorDefinition } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';

/** The database driver would take the value of this key for a BSON type. */
const reservedKey = '_bsontype';

const maxIntegerLength = '-9223372036854775808'.length;

const maxQuotedDigits = 40;

/** Only these can change when parsed: more than fifteen digits, exponents below -99, and -0 outside strings. */
const mayChangeNumbers = /(?:^|[[:,\s])-?(?:(?:\d\.?){16}|[\d.]+[eE]-\d{3}|(?<=-)0)/;

const decoder = new TextDecoder('utf-8', { fatal: true });

export type NumberError = ErrorDefinition & { readonly sample: { readonly number: string } };

export interface JsonBodyRules {
  /** A flat object has depth 1. */
  readonly maxDepth: number;
  readonly toInteger: (integer: bigint) => unknown;
  /** Error for fractions that exceed a double's precision; without it they are rounded. */
  readonly inexactNumber?: NumberError | undefined;
  /** Other fields may have any value. The numbers of such a body are rounded to doubles. */
  readonly fields?: readonly string[] | undefined;
}

/** Takes linear time (rules HTTP-7 and HTTP-8). `toInteger` converts integers beyond a double. */
export function parseJsonBody(body: Buffer, rules: JsonBodyRules): unknown {
  const { text, value } = parse(body);
  const { fields, maxDepth } = rules;
  try {
    assertAcceptable(value, maxDepth);
  } catch (error) {
    if (fields === undefined || !isPlainObject(value)) throw error;
    const read = pickFields(value, fields);
    assertAcceptable(read, maxDepth);
    return read;
  }
  return mayChangeNumbers.test(text) ? withExactNumbers(text, rules) : value;
}

function parse(body: Buffer): { text: string; value: unknown } {
  try {
    const text = decoder.decode(body);
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    throw new DomainError(httpErrors.malformedJson);
  }
}

function pickFields(object: Container, fields: readonly string[]): object {
  const entries = Object.entries(object).map(([name, value]) => {
    return [name, fields.includes(name) ? withoutNegativeZero(value) : null];
  });
  return Object.fromEntries(entries) as object;
}

/** Responses show -0 as 0, so storing it would make the next, equal request a change. */
function withoutNegativeZero<T>(value: T): T | 0 {
  return value === 0 ? 0 : value;
}

function assertAcceptable(value: unknown, maxDepth: number, depth = 1): void {
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw new DomainError(httpErrors.unstorableText);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new DomainError(httpErrors.numberOutOfRange);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw new DomainError(httpErrors.jsonTooDeep, { limit: maxDepth });
  if (!Array.isArray(value)) checkKeys(value as Container);
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) assertAcceptable(item, maxDepth, depth + 1);
}

type Container = Readonly<Record<string, unknown>>;

function checkKeys(container: Container): void {
  for (const key of Object.keys(container)) {
    if (key === '__proto__' || (key === 'constructor' && hasPrototype(container[key]))) {
      throw new DomainError(httpErrors.forbiddenPrototypeKey);
    }
    if (!isStorableText(key)) throw new DomainError(httpErrors.unstorableKey);
    if (key === reservedKey) throw new DomainError(httpErrors.reservedKey, { key });
  }
  if (isDatabaseReference(container)) throw new DomainError(httpErrors.databaseReference);
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** A reviver of `JSON.parse` takes ten times as long: 0.2 seconds for a hostile body of 1 MiB. */
function withExactNumbers(text: string, rules: JsonBodyRules): unknown {
  const { inexactNumber, fields, toInteger } = rules;
  return parseWithNumbers(text, undefined, (_key, digits) => {
    const number = withoutNegativeZero(Number(digits));
    if (fields !== undefined || String(number) === digits) return number;
    if (/^-?\d+$/.test(digits)) {
      return Number.isSafeInteger(number) ? number : exactInteger(digits, toInteger);
    }
    if (inexactNumber !== undefined && decimal(digits) !== decimal(String(number))) {
      throw new DomainError(inexactNumber, { number: shortened(digits) });
    }
    return number;
  }) as unknown;
}

function exactInteger(digits: string, toInteger: JsonBodyRules['toInteger']): unknown {
  // BigInt takes quadratic time.
  const integer = digits.length > maxIntegerLength ? undefined : BigInt(digits);
  if (integer !== undefined && BigInt.asIntN(64, integer) === integer) return toInteger(integer);
  throw new DomainError(httpErrors.inexactInteger, { number: shortened(digits) });
}
/** Returns digits without outer zeros, and their power of ten, for comparison. */
function decimal(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${mantissa.startsWith('-') ? '-' : ''}${significant}e${power}`;
}

/** A regular expression would take quadratic time. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

function shortened(digits: string): string {
  return digits.slice(0, maxQuotedDigits);
}
