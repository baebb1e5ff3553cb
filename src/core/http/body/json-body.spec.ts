import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.js';

const rounding = { maxDepth: 32, toInteger: (integer: bigint) => integer };
const parse = (text: string) => parseJsonBody(Buffer.from(text), rounding);
const parseRounding = (text: string) =>
  parseJsonBody(Buffer.from(text), { ...rounding, roundsNumbers: true });

describe('parseJsonBody', () => {
  it('returns long integers exactly at any position', () => {
    const text = '{"id":1234567890123456789,"a":[-0,9007199254740993,1e300,"1234567890123456789"]}';
    expect(parse(text)).toEqual({
      id: 1234567890123456789n,
      a: [0, 9007199254740993n, 1e300, '1234567890123456789'],
    });
    expect(parse('{"id":12345678901234567000}')).toEqual({ id: 12345678901234567000 });
  });

  it('accepts keys that resemble forbidden ones, and the maximum depth', () => {
    const text = '{"constructor":"x","a":{"constructor":{"name":1}},"proto":1,"$ref":1}';
    const deepest = `${'['.repeat(32)}${']'.repeat(32)}`;
    for (const one of [text, deepest]) expect(parse(one)).toEqual(JSON.parse(one));
    expect(() => parse(`[${deepest}]`)).toThrow('request.json_too_deep');
  });

  it.each([
    ['-5.0000000000000000001', -5],
    ['12345678901234567891.5', 12345678901234567000],
    ['123456789012345678e3', 123456789012345680000],
    ['1e-400', 0],
    ['-1e-400', 0],
    ['1.2345e-322', 1.24e-322],
    [`0.${'0'.repeat(400)}1`, 0],
  ])('rounds %s, which a double cannot store exactly', (number, rounded) => {
    for (const parseNumber of [parse, parseRounding]) {
      expect(parseNumber(`[${number}]`)).toEqual([rounded]);
    }
  });

  it.each([
    ['12345678901234567891', 12345678901234567000],
    ['-9223372036854775809', -9223372036854776000],
    ['9'.repeat(100_000), Number.MAX_VALUE],
    [`-${'9'.repeat(400)}.5`, -Number.MAX_VALUE],
    ['1e309', Number.MAX_VALUE],
    ['-1.5E+0400', -Number.MAX_VALUE],
  ])('refuses %.30s, or rounds it to the nearest finite double', (number, rounded) => {
    for (const text of [`[${number}]`, `{"a":[0,${number}]}`, `[\n${number}]`]) {
      expect(() => parse(text)).toThrow(/^request\.(?:inexact_integer|number_out_of_range)$/);
    }
    expect(parseRounding(`[${number}]`)).toEqual([rounded]);
  });

  it('returns every double in any notation', () => {
    const double = fc.double({ noDefaultInfinity: true, noNaN: true });
    const notations = [String, (number: number) => number.toExponential()];
    fc.assert(
      fc.property(double, fc.constantFrom(...notations), (number, write) => {
        const text = write(number);
        expect(parseRounding(`[${text}]`)).toEqual([exactNumber(text)]);
      }),
    );
  });
});

/** Returns a BigInt for an integer of up to 64 bits whose digits a double would change, as the parser does. */
function exactNumber(text: string): unknown {
  const number = Number(text) || 0;
  const isChanged = /^-?\d+$/.test(text) && number !== 0 && String(number) !== text;
  return isChanged ? BigInt(text) : number;
}
