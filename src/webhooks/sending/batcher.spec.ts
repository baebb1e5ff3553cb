import { describe, expect, it } from '@jest/globals';
import { Batcher } from './batcher.js';

/** A batcher that doubles numbers, and the batches that it has processed. */
function doubling(process?: (items: readonly number[]) => Promise<readonly number[]>) {
  const batches: (readonly number[])[] = [];
  const batcher = new Batcher<number, number>(async (items) => {
    batches.push(items);
    await new Promise((resolve) => setImmediate(resolve));
    return process === undefined ? items.map((item) => item * 2) : process(items);
  });
  return { batcher, batches };
}

describe('a batcher', () => {
  it('processes together what is added while a batch is being processed', async () => {
    const { batcher, batches } = doubling();
    const first = batcher.add(1);
    await Promise.resolve();
    const others = [batcher.add(2), batcher.add(3)];
    expect(await Promise.all([first, ...others])).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('lets items wait for others until one comes that cannot', async () => {
    const { batcher, batches } = doubling();
    const forever = 2_147_483_647;
    const patient = [batcher.add(1, forever), batcher.add(2, forever)];
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toEqual([]);
    expect(await Promise.all([...patient, batcher.add(3)])).toEqual([2, 4, 6]);
    expect(await batcher.add(4, 1)).toBe(8);
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('gives undefined where a batch has no result', async () => {
    const { batcher } = doubling((items) => Promise.resolve(items.slice(1)));
    expect(await Promise.all([batcher.add(1), batcher.add(2)])).toEqual([2, undefined]);
  });

  it('rejects all items of a batch that fails, and processes the next one', async () => {
    let fails = true;
    const { batcher } = doubling((items) =>
      fails ? Promise.reject(new Error('broken')) : Promise.resolve(items),
    );
    const failed = await Promise.allSettled([batcher.add(1), batcher.add(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await batcher.add(3)).toBe(3);
  });
});
