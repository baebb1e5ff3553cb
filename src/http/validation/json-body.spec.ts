import { describe, expect, it } from '@jest/globals';
import { parseJsonBody } from './json-body.js';

const parse = (text: string) => parseJsonBody(Buffer.from(text), 32, (integer) => integer);

describe('parseJsonBody', () => {
  it('gives long integers exactly, whatever else there is', () => {
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

  it('takes what only looks so', () => {
    const text = '{"constructor":"x","a":{"constructor":{"name":1}},"proto":1,"$ref":1}';
    expect(parse(text)).toEqual(JSON.parse(text));
    const deepest = `${'['.repeat(32)}${']'.repeat(32)}`;
    expect(parse(deepest)).toEqual(JSON.parse(deepest));
  });
});
