// Documents that are made inside the database, which is many times as fast as sending them.
import { Long } from 'mongodb';
import { idOf } from './names.mjs';

const thousand = 1_000;

/**
 * Steps that make documents and store them.
 *
 * @param count how many, a multiple of a thousand
 * @param fields of a document, as expressions over its `$number`, from 0 on
 */
export function madeInside(collection, count, fields) {
  return [
    { $documents: [{}] },
    ...numbered('thousands', count / thousand),
    ...numbered('ones', thousand),
    { $set: { number: { $add: [{ $multiply: ['$thousands', thousand] }, '$ones'] } } },
    { $project: fields },
    { $merge: { into: collection, whenMatched: 'fail' } },
  ];
}

function numbered(field, count) {
  return [{ $set: { [field]: { $range: [0, count] } } }, { $unwind: `$${field}` }];
}

/** Values that are the same in all. */
export function literals(fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { $literal: value }]),
  );
}

/** An id that ends with the number, in decimal digits. */
export function numberedId(kind) {
  const digits = 12;
  const padded = { $toString: { $add: [Long.fromNumber(10 ** digits), '$number'] } };
  const start = idOf(kind, 0).toHexString().slice(0, -digits);
  return { $toObjectId: { $concat: [start, { $substrBytes: [padded, 1, digits] }] } };
}
