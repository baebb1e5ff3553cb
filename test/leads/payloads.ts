import fc from 'fast-check';

/** Keys with a meaning for MongoDB, its driver, mongoose, class-transformer or JavaScript. */
const notableKeys = [
  '$set $ref $where $ne $or $id $db $oid $date $numberLong a.b .a a. . $ $$ROOT _id __v id constructor',
  'prototype hasOwnProperty toString valueOf toJSON toBSON toObject then length name $__ isNew',
  '$isMongooseMap $isMongooseArray isMongooseObject schema data additionalData 0 -1 سعر 🏠',
]
  .join(' ')
  .split(' ');

const key = fc.oneof(
  fc.constantFrom(...notableKeys),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\0')),
);
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, '', 0, 1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53) + 1, 1e300, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('2026-01-01T00:00:00Z', '6740b1f2c3d4e5f607182930', '$where', '\0', 'ZZZZ'),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));
const known = new Set(['name', 'email', 'phoneNumber', 'phoneNumber2', 'project', 'leadSource']);
const refusedKeys = [['__proto__'], ['$ref', '$id'], ['constructor', 'prototype']];
export const isAccepted = (text: string) =>
  !refusedKeys.some((keys) => keys.every((name) => text.includes(JSON.stringify(name))));
/** Objects that a lead may have as its `data`, with keys that some library interprets. */
export const payload = fc
  .dictionary(
    key.filter((name) => !known.has(name)),
    value,
    { maxKeys: 6 },
  )
  .filter((data) => isAccepted(JSON.stringify(data)));

const wide = '"wide":[9223372036854775807,-9223372036854775808]';

/** Texts of such objects, with 64-bit integers that no double holds. */
export const wideText = payload.map(
  (data) => `{${[wide, JSON.stringify(data).slice(1, -1)].filter(Boolean).join()}}`,
);
