import { beforeEach, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import type { CatalogueChanges } from './catalogue-changes.js';
import { KeptParts, withoutKeptParts } from './kept-parts.js';

const [own, other] = [new Types.ObjectId(), new Types.ObjectId()];
let changedAt: Map<string, number>;
let now: number | null;
let made: number;
let parts: KeptParts;

beforeEach(() => {
  changedAt = new Map();
  now = 1;
  made = 0;
  const changes: Pick<CatalogueChanges, 'now' | 'isUnchangedSince'> = {
    now: () => now,
    isUnchangedSince: (organization, moment) => (changedAt.get(organization) ?? 0) <= moment,
  };
  parts = new KeptParts(changes as CatalogueChanges);
});

const get = (organization = own, key = 'key') =>
  parts.get(organization, key, async () => {
    made += 1;
    return made;
  });

it('makes a part once while nothing has changed, for each organization', async () => {
  expect([await get(), await get(), await get(other), await get()]).toEqual([1, 1, 2, 1]);
});

it('makes it for who wants it anew, and keeps that one for nobody', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await get();
  withoutKeptParts(() => resolve(get()));
  expect([await promise, await get()]).toEqual([2, 1]);
});

it('makes it again after a change of its organization alone', async () => {
  await get();
  await get(other);
  now = 2;
  changedAt.set(own.toHexString(), 2);
  expect([await get(), await get(other)]).toEqual([3, 2]);
});

it('does not keep what was made of the state before a change', async () => {
  await parts.get(own, 'key', async () => {
    now = 2;
    changedAt.set(own.toHexString(), 2);
    return 'old';
  });
  expect(await get()).toBe(1);
});

it('keeps nothing while changes may go unnoticed', async () => {
  now = null;
  expect([await get(), await get()]).toEqual([1, 2]);
});

it('makes it once for many who ask at the same time, and anew for who asks after a change', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slowly = () =>
    parts.get(own, 'key', async () => {
      made += 1;
      const value = made;
      await released;
      return value;
    });
  const before = [slowly(), slowly(), slowly()];
  now = 2;
  changedAt.set(own.toHexString(), 2);
  const after = [slowly(), slowly()];
  release();
  expect(await Promise.all([...before, ...after])).toEqual([1, 1, 1, 2, 2]);
  expect(await get()).toBe(2);
});

it('lets each make its own where the first one fails', async () => {
  const failing = parts.get(own, 'key', async () => {
    made += 1;
    throw new Error('gone');
  });
  const others = [get(), get()];
  await expect(failing).rejects.toThrow('gone');
  expect(await Promise.all(others)).toEqual([2, 3]);
  expect(await get()).toBe(4);
});

it('takes a bounded amount of memory, whatever is asked for', async () => {
  for (let index = 0; index < 200; index++) {
    await parts.get(own, `large ${index}`, async () => 'x'.repeat(100_000));
  }
  const { bytes, maxBytes, entries } = parts.stats();
  expect(bytes).toBeLessThanOrEqual(maxBytes);
  expect(entries).toBeGreaterThan(10);
});
