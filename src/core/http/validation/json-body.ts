import { parse as parseWithNumbers } from 'json-custom-numbers';
import { isDatabaseReference, isPlainObject } from '../../values/json.js';
import { isStorableText } from '../../values/text.js';
import { DomainError, type ErrorDefinition } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';

/** The database driver reads these as types. */
const reservedKey = '_bsontype';

const maxIntegerLength = '-9223372036854775808'.length;

const maxQuotedDigits = 40;

/** More than fifteen digits, or exponents below -99; digits inside texts do not count. */
const mayHaveInexactNumbers = /(?:^|[[:,\s])-?(?:(?:\d\.?){16}|[\d.]+[eE]-\d{3})/;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Takes linear time (rules HTTP-7 and HTTP-8). */
export function parseJsonBody(body: Buffer, rules: JsonBodyRules): unknown {
  const { text, value } = parse(body);
  try {
    return checked(text, value, rules);
  } catch (error) {
    const { fields, maxDepth } = rules;
    if (fields === undefined || !isPlainObject(value)) throw error;
    const read = withoutOthers(value, fields);
    new Walk(maxDepth).visit(read, 1);
    return read;
  }
}

function checked(text: string, value: unknown, rules: JsonBodyRules): unknown {
  const walk = new Walk(rules.maxDepth);
  walk.visit(value, 1);
  if (rules.fields !== undefined) return value;
  const isExact = rules.inexactNumber === undefined || !mayHaveInexactNumbers.test(text);
  return walk.hasLargeIntegers || !isExact ? withExactNumbers(text, rules) : value;
}

function withoutOthers(object: Container, fields: readonly string[]): Container {
  const entries = Object.entries(object);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, fields.includes(name) ? value : null]),
  );
}

export type NumberError = ErrorDefinition & { readonly sample: { readonly number: string } };

export interface JsonBodyRules {
  /** A flat object has depth 1. */
  readonly maxDepth: number;
  readonly toInteger: (integer: bigint) => unknown;
  /** Error for fractions beyond a double's precision; without it they are rounded. */
  readonly inexactNumber?: NumberError | undefined;
  /** Other fields may have any value. Numbers of such a body are rounded to doubles. */
  readonly fields?: readonly string[] | undefined;
}

function parse(body: Buffer): { text: string; value: unknown } {
  try {
    const text = decoder.decode(body);
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    throw new DomainError(httpErrors.malformedJson);
  }
}

type Container = Record<string, unknown>;

/** Recursion is limited by depth. */
class Walk {
  hasLargeIntegers = false;

  constructor(private readonly maxDepth: number) {}

  visit(value: unknown, depth: number): void {
    if (typeof value === 'string') checkText(value);
    else if (typeof value === 'number') this.checkNumber(value);
    else if (typeof value === 'object' && value !== null) {
      this.visitItems(value as Container, depth);
    }
  }

  private visitItems(container: Container, depth: number): void {
    if (depth > this.maxDepth) {
      throw new DomainError(httpErrors.jsonTooDeep, { limit: this.maxDepth });
    }
    if (Array.isArray(container)) {
      // Keys as texts take several times as long.
      for (let index = 0; index < container.length; index++) {
        this.visitItem(container, index as unknown as string, depth);
      }
      return;
    }
    const keys = Object.keys(container);
    checkKeys(container, keys);
    for (const key of keys) this.visitItem(container, key, depth);
  }

  private visitItem(container: Container, key: string, depth: number): void {
    const value = container[key];
    // -0 would be shown as 0, and differ from the 0 of the next request.
    if (Object.is(value, -0)) container[key] = 0;
    else this.visit(value, depth + 1);
  }

  private checkNumber(value: number): void {
    if (!Number.isFinite(value)) throw new DomainError(httpErrors.numberOutOfRange);
    this.hasLargeIntegers ||= Number.isInteger(value) && !Number.isSafeInteger(value);
  }
}

function checkText(text: string): void {
  if (!text.isWellFormed()) throw new DomainError(httpErrors.unstorableText);
}

function checkKeys(container: Container, keys: readonly string[]): void {
  for (const key of keys) {
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
function withExactNumbers(text: string, { toInteger, inexactNumber }: JsonBodyRules): unknown {
  return parseWithNumbers(text, undefined, (_key, digits) => {
    const number = Number(digits) || 0;
    if (/^-?\d+$/.test(digits)) {
      const isExact = Number.isSafeInteger(number) || String(number) === digits;
      return isExact ? number : exactInteger(digits, toInteger);
    }
    if (inexactNumber !== undefined && decimal(digits) !== decimal(String(number))) {
      throw new DomainError(inexactNumber, { number: quoted(digits) });
    }
    return number;
  }) as unknown;
}

function exactInteger(digits: string, toInteger: JsonBodyRules['toInteger']): unknown {
  // BigInt takes quadratic time.
  const integer = digits.length > maxIntegerLength ? undefined : BigInt(digits);
  if (integer !== undefined && BigInt.asIntN(64, integer) === integer) return toInteger(integer);
  throw new DomainError(httpErrors.inexactInteger, { number: quoted(digits) });
}

/** Canonical: digits without outer zeros, and their power of ten. */
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

function quoted(digits: string): string {
  return digits.slice(0, maxQuotedDigits);
}
