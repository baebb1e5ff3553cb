import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JsonBodyRules, parseJsonBody } from './json-body.js';

const rounding: JsonBodyRules = { maxDepth: 32, toInteger: (integer) => integer };
const inexactNumber = {
  status: 400,
  code: 'test.inexact_number',
  messageKey: 'test',
  sample: { number: '' },
  cause: '',
  remedy: '',
};

const parse = (text: string, rules = rounding) => parseJsonBody(Buffer.from(text), rules);
const parseExactly = (text: string) => parse(text, { ...rounding, inexactNumber });

describe('parseJsonBody', () => {
  it('returns long integers exactly, wherever they are', () => {
    const text =
      '{"id":1234567890123456789,"a":[-0,9007199254740993,1e300,0.5,"1234567890123456789"]}';
    expect(parse(text)).toEqual({
      id: 1234567890123456789n,
      a: [0, 9007199254740993n, 1e300, 0.5, '1234567890123456789'],
    });
    expect(parse('{"id":12345678901234567000}')).toEqual({ id: 12345678901234567000 });
  });

  it.each([
    ['{"a":{"\\u005f_proto__":1,"id":1234567890123456789}}', 'request.forbidden_key'],
    ['{"constructor":{"prototype":1}}', 'request.forbidden_key'],
    ['[{"_bsontype":"Long"}]', 'request.reserved_key'],
    ['{"a":[{"\\u0000":1}]}', 'request.unstorable_key'],
    ['["\\ud800"]', 'request.unstorable_text'],
    ['"\\ud800"', 'request.unstorable_text'],
    ['[1e999]', 'request.number_out_of_range'],
    ['[12345678901234567891]', 'request.inexact_integer'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'request.json_too_deep'],
    ['[1', 'request.malformed_json'],
  ])('rejects %s', (text, code) => {
    expect(() => parse(text)).toThrow(code);
  });

  it('accepts keys that only look forbidden', () => {
    const text = '{"constructor":"x","a":{"constructor":{"name":1}},"proto":1,"$ref":1}';
    expect(parse(text)).toEqual(JSON.parse(text));
    const deepest = `${'['.repeat(32)}${']'.repeat(32)}`;
    expect(parse(deepest)).toEqual(JSON.parse(deepest));
  });

  it('rejects or rounds a number that a double cannot store exactly', () => {
    for (const [number, rounded] of [
      ['0.12345678901234567891', 0.12345678901234568],
      ['-5.0000000000000000001', -5],
      ['12345678901234567891.5', 12345678901234567000],
      ['123456789012345678e3', 123456789012345680000],
      ['1e-400', 0],
      ['1.2345e-322', 1.24e-322],
      [`0.${'0'.repeat(400)}1`, 0],
    ] as const) {
      expect(parse(`[${number}]`)).toEqual([rounded]);
      for (const text of [
        number,
        `[${number}]`,
        `{"a":${number}}`,
        `{"a":[0,${number}]}`,
        `[\n${number}]`,
      ]) {
        expect(() => parseExactly(text)).toThrow('test.inexact_number');
      }
    }
  });

  it('accepts every number that a double stores exactly, in any notation', () => {
    for (const number of [
      '5.00000000000000000000',
      '-0.0',
      '1.50e+300',
      '0.1E1',
      '10e-1',
      '5e-324',
      '0.9007199254740993',
    ]) {
      expect(parseExactly(`["1234567890123456",${number}]`)).toEqual([
        '1234567890123456',
        Number(number) || 0,
      ]);
    }
    const double = fc.double({ noDefaultInfinity: true, noNaN: true });
    const notations = [String, (number: number) => number.toExponential()];
    fc.assert(
      fc.property(double, fc.constantFrom(...notations), (number, write) => {
        const text = write(number).replace('Infinity', '0');
        expect(parseExactly(`[${text}]`)).toEqual([exactly(text)]);
        fc.pre(number !== 0);
        // More digits than any double has, and not zeros.
        const [mantissa = '', exponent] = text.split('e');
        const more = `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(20)}1`;
        const longer = exponent === undefined ? more : `${more}e${exponent}`;
        expect(() => parseExactly(`[${longer}]`)).toThrow('test.inexact_number');
      }),
    );
  });
});

/** The expected value of a number: integers beyond a double's precision as 64-bit ones, if they fit. */
function exactly(text: string): unknown {
  const number = Number(text) || 0;
  return /^-?\d+$/.test(text) && String(number) !== text ? BigInt(text) : number;
}
