import { expect, it } from '@jest/globals';
import { BSON, ObjectId } from 'mongodb';
import { FieldNames, RawDocument } from './raw-document.js';

it('finds fields by their whole names', () => {
  const names = new FieldNames(['abc', 'adc', 'name', 'é']);
  const bytes = BSON.serialize({ adc: 2, names: 1, nam: 1, nane: 1, aec: 1, é: 4, name: 3 });
  const values = names.valuesIn(bytes).map((value) => value.decoded());
  expect(values).toEqual([undefined, 2, 3, 4]);
});

it('takes the last of two fields with one name, as the driver does', () => {
  const bytes = BSON.serialize({ aa: 1, ab: 2 });
  bytes[bytes.lastIndexOf('b'.charCodeAt(0))] = 'a'.charCodeAt(0);
  const [value] = new FieldNames(['aa']).valuesIn(bytes);
  expect(value.decoded()).toBe(2);
  expect(new RawDocument<{ aa: number }>(bytes).decoded()).toEqual({ aa: 2 });
});

it('gives values as the driver does, ids and lists also by themselves', () => {
  const id = new ObjectId();
  const stored = { id, list: [id, 'x'], nested: { at: new Date(0) }, none: null };
  const [first, list, nested, none, missing] = new FieldNames([
    'id',
    'list',
    'nested',
    'none',
    'missing',
  ]).valuesIn(BSON.serialize(stored));
  expect([first, list, nested, none, missing].map((value) => value.decoded())).toEqual([
    id,
    [id, 'x'],
    { at: new Date(0) },
    null,
    undefined,
  ]);
  expect(first.hex()).toBe(id.toHexString());
  expect(list.items()?.map((item) => item.hex())).toEqual([id.toHexString(), '']);
  expect([first, nested, none, missing].map((value) => value.items())).toEqual(
    Array.from({ length: 4 }, () => null),
  );
});

it('refuses bytes that are no document', () => {
  expect(() => new FieldNames(['a']).valuesIn(Buffer.from([9, 0, 0, 0, 0]))).toThrow(
    'documentSize',
  );
});
