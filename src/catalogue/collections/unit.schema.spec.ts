import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { countIndexFor, readIndexFor } from './unit.schema.js';

const ids = { $in: [new Types.ObjectId()] };

describe('readIndexFor', () => {
  it.each([
    ['by-createdAt', 'no conditions', []],
    ['by-compoundId', 'a condition that needs the field', [{ compoundId: ids }]],
    [undefined, 'a condition that a partial index omits', [{ compoundId: { $ne: null } }]],
    ['by-saleType', 'a condition whose index has all units', [{ saleType: { $ne: 'x' } }]],
    [undefined, 'two conditions', [{ compoundId: ids }, { saleType: { $in: ['sale'] } }]],
  ])('returns %p for a list with %s', (index, _title, conditions) => {
    const filter = { $and: [{ isDeleted: false as const }, ...conditions] };
    expect(readIndexFor(filter, ['-createdAt'], 'en-us')).toBe(index);
  });
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
