import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assertNoReference, mergeLead, requestData } from './lead-merge.js';

const json = fc.dictionary(fc.string(), fc.jsonValue());

describe('requestData', () => {
  it('returns flat fields overridden by data, without unknown fields', () => {
    const payload = {
      name: 'flat',
      email: 'a@b.c',
      data: { name: null, other: 1 },
      leadSource: 'x',
    };
    expect(requestData(payload)).toStrictEqual({ name: null, email: 'a@b.c', other: 1 });
  });

  it('returns all five flat fields', () => {
    const flat = { name: 'a', email: 'b', phoneNumber: 'c', phoneNumber2: 'd', project: 'e' };
    expect(requestData(flat)).toStrictEqual(flat);
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
          expect(new Set(Object.keys(after))).toEqual(
            new Set([...Object.keys(before), ...Object.keys(change)]),
          );
          for (const key of Object.keys(after)) {
            expect(after[key]).toBe(Object.hasOwn(change, key) ? change[key] : before[key]);
          }
        }
      }),
    );
  });

  it('changes nothing when the same request is repeated', () => {
    fc.assert(
      fc.property(json, json, (data, sent) => {
        const once = mergeLead({ data, additionalData: {} }, { data: sent });
        expect(mergeLead(once, { data: sent })).toEqual(once);
      }),
    );
  });

  it('returns empty objects for an empty request without a stored lead', () => {
    expect(mergeLead(null, {})).toEqual({ data: {}, additionalData: {} });
  });
});

describe('assertNoReference', () => {
  const half = [{ $ref: 1 }, { $id: 1 }, {}];

  it('accepts $ref or $id alone', () => {
    for (const data of half) {
      for (const additionalData of half) {
        expect(() => assertNoReference({ data, additionalData })).not.toThrow();
      }
    }
  });

  it.each(['data', 'additionalData'])('rejects %s with both $ref and $id', (field) => {
    const merged = { data: {}, additionalData: {}, [field]: { $ref: 1, $id: 1 } };
    expect(() => assertNoReference(merged)).toThrow(
      expect.objectContaining({
        message: 'lead.database_reference',
        messages: [{ key: 'leads.databaseReference', values: { field } }],
      }),
    );
  });
});
