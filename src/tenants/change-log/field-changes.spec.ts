import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fieldChanges, storedChanges } from './field-changes.js';

const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), {
  noNullPrototype: true,
});
const copy = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;
const time = new Date('2026-01-05T00:00:00Z');
const withOwnProto = JSON.parse('{"__proto__":{}}') as object;

describe('fieldChanges', () => {
  it('returns added, changed and removed fields, with a path for each nested key', () => {
    const before = { a: 1, b: 2, c: [1], data: { a: 1, b: 1 } };
    const after = { b: 3, c: [1], d: null, data: { a: 1, b: 2 }, x: 1 };
    expect(fieldChanges(before, after, new Set(['data']))).toEqual([
      { field: 'a', from: 1, to: null },
      { field: 'b', from: 2, to: 3 },
      { field: 'data.b', from: 1, to: 2 },
      { field: 'd', from: null, to: null },
      { field: 'x', from: null, to: 1 },
    ]);
  });

  it.each<[string, unknown, unknown, boolean?]>([
    ['no change from a time to its string', time, time.toISOString(), true],
    ['no change from a nested time', { c: [time] }, { c: [time.toISOString()] }, true],
    ['no change for another order of keys', [{ x: 1, y: 2 }], [{ y: 2, x: 1 }], true],
    ['a change for another time', time, new Date(0)],
    ['a change from null to an object', null, {}],
    ['a change for another value in an object', { x: 1, y: 1 }, { x: 1, y: 2 }],
    ['a change for another key', { x: 1 }, { x: 1, y: 1 }],
    ['a change for a renamed key', { x: 1 }, { y: 1 }],
    ['a change for another item', [1, 2], [1, 3]],
    ['a change for a longer list', [1], [1, 2]],
    ['a change from a list to its item', ['x'], 'x'],
    ['a change for a missing key that objects inherit', {}, withOwnProto],
    ['a change for another key that objects inherit', { x: 1 }, withOwnProto],
  ])('returns %s', (_title, from, to, isSame = false) => {
    expect(fieldChanges({ a: from }, { a: to })).toEqual(isSame ? [] : [{ field: 'a', from, to }]);
    expect(fieldChanges({ a: to }, { a: from })).toHaveLength(isSame ? 0 : 1);
  });

  it('treats names of Object.prototype as ordinary keys', () => {
    expect(fieldChanges({}, { constructor: 1, ...withOwnProto })).toEqual([
      { field: 'constructor', from: null, to: 1 },
      { field: '__proto__', from: null, to: {} },
    ]);
  });

  it('returns changes that turn one random object into the other', () => {
    fc.assert(
      fc.property(object.map(copy), object.map(copy), (before, after) => {
        expect(fieldChanges(before, copy(before))).toEqual([]);
        const changed = new Set(fieldChanges(before, after).map(({ field }) => field));
        for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
          const isSame =
            Object.hasOwn(before, key) === Object.hasOwn(after, key) &&
            JSON.stringify(before[key]) === JSON.stringify(after[key]);
          if (isSame) expect(changed).not.toContain(key);
          if (!changed.has(key)) expect(before[key]).toEqual(after[key]);
        }
      }),
    );
  });
});

it('storedChanges omits invalid values that other programs stored', () => {
  const change = { field: 'data.name', from: 'a', to: 'b' };
  const others = [null, 'x', { from: 1 }, { field: 7 }, [change]];
  expect(storedChanges([change, ...others])).toEqual([change]);
  for (const other of [undefined, null, 'x', { field: 'x' }]) {
    expect(storedChanges(other)).toEqual([]);
  }
});
