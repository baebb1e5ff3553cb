import { describe, expect, it } from '@jest/globals';
import { slugCandidates, slugify } from './slug.js';

describe('slugify', () => {
  it.each([
    ['Garden Villa 12', 'garden-villa-12'],
    ['فيلا النخيل ١٢', 'فيلا-النخيل-١٢'],
    ['  A  -  B  ', 'a-b'],
    ['A/B?c#d%e', 'abcde'],
    ['Été', 'été'],
    ['..', ''],
    ['🏠', ''],
    ['- A -', 'a'],
    ['x'.repeat(300), 'x'.repeat(200)],
    [` ${'x'.repeat(300)}`, 'x'.repeat(200)],
  ])('returns for %p the slug %p', (text, slug) => {
    expect(slugify(text)).toBe(slug);
  });
});

describe('slugCandidates', () => {
  it('appends distinguishing texts, then the id', () => {
    expect(slugCandidates(['Villa', undefined, 'A 1'], 'id')).toEqual([
      'villa',
      'villa-a-1',
      'villa-id',
    ]);
    expect(slugCandidates(['A', 'a'], 'id')).toEqual(['a', 'a-id']);
    expect(slugCandidates(['..', ''], 'id')).toEqual(['unit-id']);
  });
});
