import secureJson from 'secure-json-parse';
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
 * (rules HTTP-7 and HTTP-8).
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
  const text = decode(body);
  const parsed = parse(text);
  let containers = [parsed].filter(isContainer);
  for (let depth = 1; containers.length > 0; depth++) {
    if (depth > depthLimit) throw new DomainError(httpErrors.jsonTooDeep, { limit: depthLimit });
    containers = containers.flatMap(checkedChildren);
  }
  // Only then is a second look needed, which costs more than the first.
  return /\d{16}/.test(text) ? withExactIntegers(text, toInteger) : parsed;
}

function decode(body: Buffer): string {
  try {
    return decoder.decode(body);
  } catch {
    throw new DomainError(httpErrors.malformedJson);
  }
}

function parse(text: string): unknown {
  try {
    return secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' }) as unknown;
  } catch (error) {
    const isForbiddenKey =
      error instanceof SyntaxError && error.message.includes('forbidden prototype');
    throw new DomainError(
      isForbiddenKey ? httpErrors.forbiddenPrototypeKey : httpErrors.malformedJson,
    );
  }
}

type Container = Record<string, unknown> | unknown[];

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function checkedChildren(container: Container): Container[] {
  if (!Array.isArray(container)) checkKeys(container);
  for (const [key, value] of Object.entries(container)) {
    if (typeof value === 'string' && !value.isWellFormed())
      throw new DomainError(httpErrors.unstorableText);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new DomainError(httpErrors.numberOutOfRange);
    }
    // It would be stored, shown as 0, and differ from the 0 of the next request.
    if (Object.is(value, -0)) (container as Record<string, unknown>)[key] = 0;
  }
  return Object.values(container).filter(isContainer);
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Parses again, with integers that a double does not hold, such as long ids, as 64-bit ones. */
function withExactIntegers(text: string, toInteger: (integer: bigint) => unknown): unknown {
  const revive: Reviver = (_key, value, { source }) => {
    if (Object.is(value, -0)) return 0;
    if (typeof value !== 'number' || source === undefined || !isInexact(source)) return value;
    const integer = BigInt(source);
    if (BigInt.asIntN(64, integer) === integer) return toInteger(integer);
    throw new DomainError(httpErrors.inexactInteger, { number: source.slice(0, maxQuotedDigits) });
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

function isInexact(source: string): boolean {
  const number = Number(source);
  const isInteger = /^-?\d+$/.test(source);
  return isInteger && !Number.isSafeInteger(number) && String(number) !== source;
}

function checkKeys(container: Record<string, unknown>): void {
  for (const key of Object.keys(container)) {
    if (!isStorableText(key)) throw new DomainError(httpErrors.unstorableKey);
    if (key === reservedKey) throw new DomainError(httpErrors.reservedKey, { key });
  }
  if (isDatabaseReference(container)) throw new DomainError(httpErrors.databaseReference);
}
