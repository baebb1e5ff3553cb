import { parse as parseWithNumbers } from 'json-custom-numbers';
import { isDatabaseReference } from '../../values/plain-object.js';
import { isStorableText } from '../../values/text.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';

/** Keys that the database driver reads as type tags of its own, not as data. */
const reservedKey = '_bsontype';

/** How much of a rejected number is quoted. */
const maxQuotedDigits = 40;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body into plain data that can be stored and given back as it was sent
 * (rules HTTP-7 and HTTP-8). One walk over the parsed values checks them all, and time grows with
 * the body's length alone.
 *
 * @param depthLimit deepest accepted nesting; a flat object has depth 1
 * @param toInteger how a 64-bit integer that a double does not hold is stored
 * @throws DomainError 400 for what is no JSON, is nested too deep, or could not be given back as it
 * was sent: the keys `__proto__`, `constructor.prototype`, `_bsontype`, `$ref` together with `$id`, keys
 * with null characters, lone surrogates, integers of more than 64 bits and numbers beyond a double's range
 */
export function parseJsonBody(
  body: Buffer,
  depthLimit: number,
  toInteger: (integer: bigint) => unknown,
): unknown {
  const { text, value } = parse(body);
  const walk = new Walk(depthLimit);
  walk.visit(value, 1);
  // Only the text still has their digits.
  return walk.hasLargeIntegers ? withExactIntegers(text, toInteger) : value;
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

/** Checks values; recursion is as deep as the limit allows. */
class Walk {
  hasLargeIntegers = false;

  constructor(private readonly depthLimit: number) {}

  visit(value: unknown, depth: number): void {
    if (typeof value === 'string') checkText(value);
    else if (typeof value === 'number') this.checkNumber(value);
    else if (typeof value === 'object' && value !== null) {
      this.visitItems(value as Container, depth);
    }
  }

  private visitItems(container: Container, depth: number): void {
    if (depth > this.depthLimit) {
      throw new DomainError(httpErrors.jsonTooDeep, { limit: this.depthLimit });
    }
    if (Array.isArray(container)) {
      // Without their keys as texts, which take several times as long.
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
    // It would be stored, shown as 0, and differ from the 0 of the next request.
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

/** Parses again, with integers that a double does not hold, such as long ids, as 64-bit ones. */
function withExactIntegers(text: string, toInteger: (integer: bigint) => unknown): unknown {
  return parseWithNumbers(text, undefined, (_key, digits) => {
    // Not -0, as above.
    const number = Number(digits) || 0;
    if (Number.isSafeInteger(number) || !isInexact(digits, number)) return number;
    const integer = BigInt(digits);
    if (BigInt.asIntN(64, integer) === integer) return toInteger(integer);
    const quoted = digits.slice(0, maxQuotedDigits);
    throw new DomainError(httpErrors.inexactInteger, { number: quoted });
  }) as unknown;
}

function isInexact(digits: string, number: number): boolean {
  return /^-?\d+$/.test(digits) && String(number) !== digits;
}
