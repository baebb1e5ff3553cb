import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fieldChanges, storedChanges } from './field-changes.js';

const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), {
  noNullPrototype: true,
});
const copy = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;

describe('fieldChanges', () => {
  it('returns added, changed and removed fields', () => {
    expect(fieldChanges({ a: 1, b: 2, c: [1] }, { b: 3, c: [1], d: null })).toEqual([
      { field: 'a', from: 1, to: null },
      { field: 'b', from: 2, to: 3 },
      { field: 'd', from: null, to: null },
    ]);
  });

  it('compares nested fields by their keys', () => {
    const changes = fieldChanges(
      { data: { a: 1, b: 1 } },
      { data: { a: 1, b: 2 }, x: 1 },
      new Set(['data']),
    );
    expect(changes).toEqual([
      { field: 'data.b', from: 1, to: 2 },
      { field: 'x', from: null, to: 1 },
    ]);
  });

  it('returns no changes exactly when the JSON is equal', () => {
    const time = new Date('2026-01-05T00:00:00Z');
    const before = { a: time, b: { c: [time] }, d: time, e: { x: 1, y: 2 }, f: [1], g: null };
    const after = {
      a: time.toISOString(),
      b: { c: [time.toISOString()] },
      d: new Date(0),
      e: { y: 2, x: 1 },
      f: [1, 2],
      g: {},
    };
    expect(fieldChanges(before, after).map(({ field }) => field)).toEqual(['d', 'f', 'g']);
  });

  it('compares objects and lists by all their values', () => {
    const before = {
      a: { x: 1 },
      b: { x: 1, y: 1 },
      c: { x: 1 },
      d: [1, 2],
      e: [{ x: 1, y: 2 }],
      f: ['x'],
    };
    const after = {
      a: { x: 1, y: 1 },
      b: { x: 1, y: 2 },
      c: { y: 1 },
      d: [1, 3],
      e: [{ y: 2, x: 1 }],
      f: 'x',
    };
    const fields = ['a', 'b', 'c', 'd', 'f'];
    expect(fieldChanges(before, after).map(({ field }) => field)).toEqual(fields);
    expect(fieldChanges(after, before).map(({ field }) => field)).toEqual(fields);
  });

  it('returns a change for a missing key that objects inherit', () => {
    const added = JSON.parse('{"__proto__":{}}') as object;
    expect(fieldChanges({}, { ...added })).toEqual([{ field: '__proto__', from: null, to: {} }]);
    expect(fieldChanges({ a: {} }, { a: added }).map(({ field }) => field)).toEqual(['a']);
    expect(fieldChanges({ a: { x: 1 } }, { a: added }).map(({ field }) => field)).toEqual(['a']);
  });

  it('treats names of Object.prototype as ordinary keys', () => {
    expect(fieldChanges({}, { constructor: 1, toString: 2 })).toEqual([
      { field: 'constructor', from: null, to: 1 },
      { field: 'toString', from: null, to: 2 },
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

describe('storedChanges', () => {
  it('returns only valid changes when other programs stored other values', () => {
    const change = { field: 'data.name', from: 'a', to: 'b' };
    expect(storedChanges([change, null, 'x', { from: 1 }, { field: 7 }, [change]])).toEqual([
      change,
    ]);
    for (const other of [undefined, null, 'x', { field: 'x' }])
      expect(storedChanges(other)).toEqual([]);
  });
});
