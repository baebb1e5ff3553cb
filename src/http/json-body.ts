import secureJson from 'secure-json-parse';
import { DomainError } from './domain-error.js';

/** Keys that the database driver reads as type tags of its own, not as data. */
const reservedKey = '_bsontype';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body into plain data that can be stored and given back as it was sent ("All
 * endpoints" 6).
 *
 * @param depthLimit deepest accepted nesting; a flat object has depth 1
 * @throws DomainError 400 for what is no JSON, is nested too deep, or has a key or number that
 * could not be stored: `__proto__`, `constructor.prototype`, `_bsontype`, `$ref` beside `$id`, null
 * characters, lone surrogates, numbers beyond the range of a double
 */
export function parseJsonBody(body: Buffer, depthLimit: number): unknown {
  const parsed = parse(body);
  let containers = [parsed].filter(isContainer);
  for (let depth = 1; containers.length > 0; depth++) {
    if (depth > depthLimit) throw refused('http.jsonTooDeep', { limit: depthLimit });
    containers = containers.flatMap(checkedChildren);
  }
  return parsed;
}

function parse(body: Buffer): unknown {
  try {
    const text = decoder.decode(body);
    return secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' }) as unknown;
  } catch (error) {
    const isForbiddenKey =
      error instanceof SyntaxError && error.message.includes('forbidden prototype');
    throw refused(isForbiddenKey ? 'http.forbiddenPrototypeKey' : 'http.malformedJson');
  }
}

type Container = Record<string, unknown> | unknown[];

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function checkedChildren(container: Container): Container[] {
  if (!Array.isArray(container)) checkKeys(container);
  const values = Object.values(container);
  if (values.some((value) => typeof value === 'number' && !Number.isFinite(value))) {
    throw refused('http.numberOutOfRange');
  }
  return values.filter(isContainer);
}

function checkKeys(container: Record<string, unknown>): void {
  for (const key of Object.keys(container)) {
    if (!isStorableText(key)) throw refused('http.unstorableKey');
    if (key === reservedKey) throw refused('http.reservedKey', { key });
  }
  // The driver reads such an object back as a reference and takes `$ref` apart at its dots.
  const isReference = Object.hasOwn(container, '$ref') && Object.hasOwn(container, '$id');
  if (isReference) throw refused('http.databaseReference');
}

/** Whether a text survives storage unchanged: no null character, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function refused(key: string, values = {}): DomainError {
  return new DomainError(400, [{ key, values }]);
}
