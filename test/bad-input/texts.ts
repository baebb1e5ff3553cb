/** Bodies that are refused before their fields are looked at: the text, and the message. */
export const badTexts: readonly (readonly [text: string, message: string])[] = [
  ...['{"name":', '{name: 1}', '', ' ', '{"a":1}{"b":2}', '\ufeff', '{"a":NaN}'].map(
    (text) => [text, 'The request body is not valid JSON in UTF-8'] as const,
  ),
  ...[
    '{"__proto__":{"isAdmin":true}}',
    '{"data":{"__proto__":{"a":1}}}',
    '{"data":{"a":[{"__proto__":null}]}}',
    '{"data":{"constructor":{"prototype":{"a":1}}}}',
    '{"data":{"\\u005f_proto__":{"a":1}}}',
  ].map(
    (text) =>
      [text, 'The request body must not have the keys __proto__ or constructor.prototype'] as const,
  ),
  ...['{"data":{"a\\u0000b":1}}', '{"additionalData":{"x":[{"\\ud800":1}]}}', '{"\\u0000":1}'].map(
    (text) =>
      [text, 'The request body has a key with a null character or an unpaired surrogate'] as const,
  ),
  ['{"data":{"a":{"_bsontype":"ObjectId"}}}', 'The request body must not have the key _bsontype'],
  [
    '{"data":{"link":{"$ref":"shop.users","$id":1}}}',
    'The request body must not have an object with both keys $ref and $id',
  ],
  ...[
    '{"recordSystemId":"a\\ud83d"}',
    '{"name":"\\udc00"}',
    '{"data":{"a":[{"b":"x\\ud800"}]}}',
  ].map((text) => [text, 'The request body contains a string with an unpaired surrogate'] as const),
  ...['12345678901234567891', '9223372036854775808', '-9223372036854775809'].map(
    (number) =>
      [
        `{"data":{"ids":[1,{"id":${number}}]}}`,
        `The request body has the integer ${number}, which is too large to be stored exactly: send it as a string`,
      ] as const,
  ),
  ['{"data":{"n":1e999}}', 'The request body has a number that is out of range'],
  ...(
    [
      [33, '{"a":', '}'],
      [33, '[', ']'],
      [200, '{"a":', '}'],
      [100_000, '[', ']'],
    ] as const
  ).map(
    ([depth, open, close]) =>
      [
        `{"data":${open.repeat(depth - 1)}1${close.repeat(depth - 1)}}`,
        'The request body must not be nested deeper than 32 levels',
      ] as const,
  ),
];
