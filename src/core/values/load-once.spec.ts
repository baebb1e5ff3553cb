import { describe, expect, it } from '@jest/globals';
import { loadOnce } from './load-once.js';

describe('loadOnce', () => {
  it('loads once for all callers', async () => {
    let loads = 0;
    const read = loadOnce(async () => ++loads);
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    expect(await read()).toBe(1);
  });

  it('loads again after a failure', async () => {
    let loads = 0;
    const read = loadOnce(async () => {
      loads += 1;
      if (loads === 1) throw new Error('too many open files');
      return loads;
    });
    const failed = await Promise.allSettled([read(), read()]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await read()).toBe(2);
  });
});
