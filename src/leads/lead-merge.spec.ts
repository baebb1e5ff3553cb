import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assertNoReference, mergeLead, mergeFlatFields } from './lead-merge.js';

const json = fc.dictionary(fc.string(), fc.jsonValue());

describe('mergeFlatFields', () => {
  it('returns the five flat fields overridden by data, without unknown fields', () => {
    const flat = { name: 'a', email: 'b', phoneNumber: 'c', phoneNumber2: 'd', project: 'e' };
    expect(mergeFlatFields(flat)).toStrictEqual(flat);
    const overridden = { name: 'flat', email: 'b', data: { name: null, x: 1 }, leadSource: 'x' };
    expect(mergeFlatFields(overridden)).toStrictEqual({ name: null, email: 'b', x: 1 });
  });
});

describe('mergeLead', () => {
  it('replaces sent top-level keys and keeps the others', () => {
    fc.assert(
      fc.property(json, json, json, json, (data, additionalData, sent, sentMetadata) => {
        const payload = { data: sent, additionalData: sentMetadata };
        const merged = mergeLead({ data, additionalData }, payload);
        for (const [before, change, after] of [
          [data, sent, merged.data],
          [additionalData, sentMetadata, merged.additionalData],
        ] as const) {
          const keys = new Set([...Object.keys(before), ...Object.keys(change)]);
          expect(new Set(Object.keys(after))).toEqual(keys);
          for (const key of keys) {
            expect(after[key]).toBe(Object.hasOwn(change, key) ? change[key] : before[key]);
          }
        }
      }),
    );
  });

  it('returns empty objects for an empty request without a stored lead', () => {
    expect(mergeLead(null, {})).toEqual({ data: {}, additionalData: {} });
  });
});

describe('assertNoReference', () => {
  it('accepts $ref and $id in different objects', () => {
    for (const [data, additionalData] of [[{ $ref: 1 }, { $id: 1 }] as const, [{}, {}] as const]) {
      expect(() => assertNoReference({ data, additionalData })).not.toThrow();
    }
  });

  it.each(['data', 'additionalData'])('refuses %s with both $ref and $id', (field) => {
    const merged = { data: {}, additionalData: {}, [field]: { $ref: 1, $id: 1 } };
    const messages = [{ key: 'leads.databaseReference', values: { field } }];
    const error = expect.objectContaining({ message: 'lead.database_reference', messages });
    expect(() => assertNoReference(merged)).toThrow(error);
  });
});
