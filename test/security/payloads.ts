export interface Payload {
  readonly name: string;
  /** The bytes of the value in the body, which may be invalid JSON. */
  readonly json: string | Buffer;
}

const nested = (depth: number, open: string, close: string) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;
const raw = (json: string): Payload => ({ name: json.slice(0, 30), json });

/** These strings have a special meaning in databases, browsers, file systems or parsers. */
export const hostileTexts: readonly string[] = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '$ne',
  '$where',
  'a.b.$[]',
  '{"$ne":null}',
  "' OR 1=1 --",
  '"; db.leads.drop(); //',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '<script>alert(1)</script>',
  '=HYPERLINK("http://x.example")',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '%00',
  '%2e%2e%2f',
  'x\r\nx-injected: 1',
  'x\u2028y',
  '\u202e\ufeff',
  'ﷺ'.repeat(400),
  'x'.repeat(3_000),
  '(a+)+$',
  '-0',
  'NaN',
  '1e400',
  '0x7fffffff',
  'true',
  'null',
  ' ',
];

/** Values of unexpected types, and texts that are not valid JSON. */
export const hostileValues: readonly Payload[] = [
  ...hostileTexts.map((text) => raw(JSON.stringify(text))),
  raw('{"$ne":null}'),
  raw('{"$gt":""}'),
  raw('{"$in":["x"]}'),
  raw('{"$regex":".*"}'),
  raw('{"$where":"while(true){}"}'),
  raw('{"$expr":{"$function":{"body":"f","args":[],"lang":"js"}}}'),
  raw('{"$set":{"isDeleted":true}}'),
  raw('[{"$ne":1}]'),
  raw('{"a.b":1,"a":{"b":2},"":3,"$":4}'),
  raw('{"__proto__":{"polluted":true}}'),
  raw('{"constructor":{"prototype":{"polluted":true}}}'),
  raw('{"\\u005f_proto__":{"polluted":true}}'),
  raw('{"toString":1,"valueOf":null,"hasOwnProperty":"x","constructor":1}'),
  raw('{"toJSON":1,"then":1,"length":1e9,"inspect":{}}'),
  raw('{"_bsontype":"ObjectId","id":"x"}'),
  raw('{"$oid":"6740b1f2c3d4e5f607182940"}'),
  raw('{"$ref":"leads","$id":1,"$db":"admin"}'),
  raw('"a\\u0000b"'),
  raw('{"a\\u0000b":1}'),
  raw('"\\ud800"'),
  raw('{"\\udc00":1}'),
  raw('1e400'),
  raw('-1e400'),
  raw('123456789012345678901234567890'),
  raw('9223372036854775807'),
  raw('-0'),
  raw('5e-324'),
  raw('1.7976931348623157e308'),
  raw('null'),
  raw('true'),
  raw('0'),
  raw('""'),
  raw('[]'),
  raw('{}'),
  raw('[[],{},null]'),
  raw(nested(40, '[', ']')),
  raw(nested(20_000, '{"a":', '}')),
  raw(`{${Array.from({ length: 5_000 }, (_, key) => `"k${key}":1`).join()}}`),
  raw(JSON.stringify('x'.repeat(100_000))),
  { name: 'bytes that are not UTF-8', json: Buffer.from('"\xc0\xae\xff"', 'latin1') },
  raw('"x'),
  raw('1 2'),
];

/** Values for paths and queries, already encoded. */
export const hostileParameters: readonly string[] = [
  ...hostileTexts.filter((value) => value.isWellFormed()).map(encodeURIComponent),
  '%00',
  'a%00b',
  '%ff',
  '%c0%ae%c0%ae%2f',
  '%ed%a0%80',
  '%',
  '%zz',
  '..%2f..%2fhealthz',
  '%2e%2e',
  '..;',
  '.',
  '*',
  'x'.repeat(9_000),
];

/** Texts that follow the name of a query parameter. */
export const hostileQueries: readonly string[] = [
  '[$ne]=1',
  '[]=1',
  '[__proto__][polluted]=1',
  '=1&{name}=2',
  '.$gt=',
  '=',
  '',
  '%00=1',
];

/** Values that a header can carry. */
export const hostileHeaders: readonly string[] = [
  ...hostileTexts.filter((value) => /^[\x20-\x7e]+$/.test(value)),
  'x'.repeat(9_000),
  'a,b',
  '\xc3\x28',
  '\xff\xfe',
  '"',
  'a\tb',
];
