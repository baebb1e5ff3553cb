import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { countIndexFor, readIndexFor } from './unit.schema.js';

const ids = { $in: [new Types.ObjectId()] };

describe('readIndexFor', () => {
  it.each([
    ['no conditions', 'by-createdAt', []],
    ['a condition that needs the field', 'by-compoundId', [{ compoundId: ids }]],
    [
      'a condition that matches units without the field',
      undefined,
      [{ compoundId: { $ne: null } }],
    ],
    [
      'a condition that matches units without the field, whose index has all units',
      'by-saleType',
      [{ saleType: { $ne: 'x' } }],
    ],
    ['two conditions', undefined, [{ compoundId: ids }, { saleType: { $in: ['sale'] } }]],
  ])(
    'returns for %s the index %p, where undefined leaves the choice to the planner',
    (_title, index, conditions) => {
      const filter = { $and: [{ isDeleted: false as const }, ...conditions] };
      expect(readIndexFor(filter, ['-createdAt'], 'en-us')).toBe(index);
    },
  );
});

describe('countIndexFor', () => {
  it('returns no partial index that omits matching units', () => {
    const prices = { price: { $gte: 1 } };
    const filters = [{ compoundId: ids }, { compoundId: { $ne: null } }].map((condition) => ({
      $and: [condition, prices, { saleType: { $in: ['sale'] } }],
    }));
    expect(filters.map(countIndexFor)).toEqual(['by-compoundId', 'by-price']);
  });
});
