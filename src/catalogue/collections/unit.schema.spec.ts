import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { countIndexFor, readIndexFor } from './unit.schema.js';

const ids = { $in: [new Types.ObjectId()] };

describe('readIndexFor', () => {
  it.each([
    ['no conditions', [], 'by-createdAt'],
    ['a condition that needs the field', [{ compoundId: ids }], 'by-compoundId'],
    [
      'a condition that matches units without the field',
      [{ compoundId: { $ne: null } }],
      undefined,
    ],
    [
      'a condition that matches units without the field, whose index has all units',
      [{ saleType: { $ne: 'x' } }],
      'by-saleType',
    ],
    ['two conditions', [{ compoundId: ids }, { saleType: { $in: ['sale'] } }], undefined],
  ])(
    'names the index for a list with %s, or leaves the choice to the planner',
    (_title, conditions, index) => {
      const filter = { $and: [{ isDeleted: false as const }, ...conditions] };
      expect(readIndexFor(filter, ['-createdAt'], 'en-us')).toBe(index);
    },
  );
});

describe('countIndexFor', () => {
  it('skips a partial index that omits matching units', () => {
    const prices = { price: { $gte: 1 } };
    const filters = [{ compoundId: ids }, { compoundId: { $ne: null } }].map((condition) => ({
      $and: [condition, prices, { saleType: { $in: ['sale'] } }],
    }));
    expect(filters.map(countIndexFor)).toEqual(['by-compoundId', 'by-price']);
  });
});
