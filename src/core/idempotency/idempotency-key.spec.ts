import { expect, it } from '@jest/globals';
import { parseIdempotencyKey } from './idempotency-key.js';

it.each([
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"a b"', 'a b'],
  [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
  [String.raw`a\b`, String.raw`a\b`],
  ['~!$,;', '~!$,;'],
  [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
])('parseIdempotencyKey(%j) returns %j', (value, key) => {
  expect(parseIdempotencyKey(value)).toBe(key);
});

it.each([
  ['', '""', 'a b', 'a, a', '"a", "a"', '"a";b=1', '"a', 'a"', '"a"b"', '"a\\"'],
  [String.raw`"a\n"`, 'é', '"é"', 'a\tb', '"a\u007F"', 'x'.repeat(256)],
])('parseIdempotencyKey returns null for malformed keys such as %j', (...values) => {
  for (const value of values) expect([value, parseIdempotencyKey(value)]).toEqual([value, null]);
});
