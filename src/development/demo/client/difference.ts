const longestQuote = 160;

/**
 * Gives the first thing in which a value is not as expected, on one line; null when there is none.
 * Objects may have more keys than expected, arrays must be as long; a pattern matches any text
 * that it describes.
 *
 * @param name what the value is called in that line
 */
export function difference(actual: unknown, expected: unknown, name: string): string | null {
  if (!isObject(expected))
    return actual === expected ? null : describeDifference(actual, expected, name);
  if (expected instanceof RegExp) {
    const isMatch = typeof actual === 'string' && expected.test(actual);
    return isMatch ? null : describeDifference(actual, String(expected), name);
  }
  if (!isObject(actual) || isOtherArray(actual, expected))
    return describeDifference(actual, expected, name);
  for (const [key, value] of Object.entries(expected)) {
    const found = difference(actual[key], value, `${name}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isOtherArray(actual: object, expected: object): boolean {
  if (!Array.isArray(actual) || !Array.isArray(expected)) {
    return Array.isArray(actual) !== Array.isArray(expected);
  }
  return actual.length !== expected.length;
}

function describeDifference(actual: unknown, expected: unknown, name: string): string {
  return `${name} is ${quote(actual)} instead of ${quote(expected)}`;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote)}...`;
}
