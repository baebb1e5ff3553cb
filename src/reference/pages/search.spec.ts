import { describe, expect, it } from '@jest/globals';
import { createSearch } from './search.js';

describe('createSearch', () => {
  it('keeps the results of the last 200 queries', () => {
    const search = createSearch([], []);
    const first = search('sign', 'en-us');
    expect(first).toHaveLength(1);
    expect(search('sign Sign', 'en-us')).toBe(first);
    expect(search('sign', 'ar-eg')).not.toBe(first);
    for (let query = 0; query < 200; query += 1) search(`word${query}`, 'en-us');
    expect(search('sign', 'en-us')).toEqual(first);
    expect(search('sign', 'en-us')).not.toBe(first);
  });

  it.each([
    ['at the end of a word', 'station '.repeat(40), /^(?:station )+…$/],
    ['within a word that is longer', 'x'.repeat(400), /^x{180} …$/],
    ['nowhere if it is short', 'A short station', /^A short station read$/],
  ])('cuts an excerpt %s', (_title, description, expected) => {
    const operation = { summary: 'Zebra', route: 'GET /', fragment: '', errorCodes: [] };
    const search = createSearch([], [{ ...operation, id: 'read', description }]);
    expect(search('zebra', 'en-us')[0]?.excerpt).toMatch(expected);
  });
});
