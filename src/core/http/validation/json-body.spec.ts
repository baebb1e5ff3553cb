import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.js';

const inexactNumber = {
  status: 400,
  code: 'test.inexact_number',
  messageKey: 'test',
  sample: { number: '' },
  cause: '',
  remedy: '',
};

const rounding = { maxDepth: 32, toInteger: (integer: bigint) => integer };
const parse = (text: string) => parseJsonBody(Buffer.from(text), rounding);
const parseExactly = (text: string) =>
  parseJsonBody(Buffer.from(text), { ...rounding, inexactNumber });

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
    ['1.2345e-322', 1.24e-322],
    [`0.${'0'.repeat(400)}1`, 0],
  ])('rounds or rejects %s, which a double cannot store exactly', (number, rounded) => {
    expect(parse(`[${number}]`)).toEqual([rounded]);
    for (const text of [number, `{"a":[0,${number}]}`, `[\n${number}]`]) {
      expect(() => parseExactly(text)).toThrow('test.inexact_number');
    }
  });

  it.each(['5.00000000000000000000', '-0.0', '1.50e+300', '10e-1', '5e-324', '0.9007199254740993'])(
    'accepts %s, which a double stores exactly',
    (number) => {
      const digits = '1234567890123456';
      expect(parseExactly(`["${digits}",${number}]`)).toEqual([digits, Number(number) || 0]);
    },
  );

  it('accepts every double in any notation, and rejects more digits', () => {
    const double = fc.double({ noDefaultInfinity: true, noNaN: true });
    const notations = [String, (number: number) => number.toExponential()];
    fc.assert(
      fc.property(double, fc.constantFrom(...notations), (number, write) => {
        const text = write(number).replace('Infinity', '0');
        expect(parseExactly(`[${text}]`)).toEqual([exactNumber(text)]);
        fc.pre(number !== 0);
        const [mantissa = '', exponent] = text.split('e');
        const extraDigits = `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(20)}1`;
        const tooPrecise = exponent === undefined ? extraDigits : `${extraDigits}e${exponent}`;
        expect(() => parseExactly(`[${tooPrecise}]`)).toThrow('test.inexact_number');
      }),
    );
  });
});

/** Returns a BigInt for an integer whose digits a double would change, as the parser does. */
function exactNumber(text: string): unknown {
  const number = Number(text) || 0;
  return /^-?\d+$/.test(text) && String(number) !== text ? BigInt(text) : number;
}
