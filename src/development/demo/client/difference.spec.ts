import { describe, expect, it } from '@jest/globals';
import { difference } from './difference.js';

describe('what differs from what is expected', () => {
  it.each([
    ['equal values', 1, 1],
    ['more keys than expected', { a: 1, b: 2 }, { a: 1 }],
    ['a text that a pattern matches', { id: 'a1' }, { id: /^a\d$/ }],
    ['equal arrays', [{ a: 1, b: 2 }], [{ a: 1 }]],
    ['null for null', { a: null }, { a: null }],
  ])('is nothing for %s', (_case, actual, expected) => {
    expect(difference(actual, expected, 'body')).toBeNull();
  });

  it.each([
    [{ a: { b: 1 } }, { a: { b: '1' } }, 'body.a.b is 1 instead of "1"'],
    [{}, { a: 1 }, 'body.a is missing instead of 1'],
    [{ a: 5 }, { a: /5/ }, 'body.a is 5 instead of "/5/"'],
    [['x', 'y'], ['x'], 'body is ["x","y"] instead of ["x"]'],
    [[], {}, 'body is [] instead of {}'],
    [{}, [], 'body is {} instead of []'],
    [null, { a: 1 }, 'body is null instead of {"a":1}'],
    ['<html>', { ok: true }, 'body is "<html>" instead of {"ok":true}'],
  ])('of %j and %j is described on one line', (actual, expected, line) => {
    expect(difference(actual, expected, 'body')).toBe(line);
  });
});
