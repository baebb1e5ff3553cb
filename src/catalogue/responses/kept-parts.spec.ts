import { beforeEach, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import type { Environment } from '../../core/configuration/environment.js';
import { valueIn } from '../../../test/operations/metrics-text.js';
import { Metrics } from '../../core/observability/metrics.js';
import { mebibyte } from '../../core/values/numbers.js';
import { CatalogueFreshness } from './catalogue-freshness.js';
import { KeptParts, whileReading, withoutKeptParts } from './kept-parts.js';

const [own, other] = [new Types.ObjectId(), new Types.ObjectId()];
let freshness: CatalogueFreshness;
let made: number;
let metrics: Metrics;
let parts: KeptParts;

beforeEach(() => {
  freshness = new CatalogueFreshness({ RESPONSE_CACHE_BYTES: 1 } as Environment);
  freshness.maxAgeMs = 60_000;
  made = 0;
  metrics = new Metrics();
  parts = new KeptParts(freshness, metrics);
});

const write = (organization = own) => freshness.noteWrite(organization.toHexString());
const get = (organization = own, key = 'key') =>
  parts.get(organization, key, async () => {
    made += 1;
    return made;
  });

it('makes a part once while nothing is written, for each organization', async () => {
  expect([await get(), await get(), await get(other), await get()]).toEqual([1, 1, 2, 1]);
});

it('makes it for who wants it anew, and keeps that one for nobody', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await get();
  withoutKeptParts(() => resolve(get()));
  expect([await promise, await get()]).toEqual([2, 1]);
});

it('makes it again after a write to its organization alone', async () => {
  await get();
  await get(other);
  write();
  expect([await get(), await get(other)]).toEqual([3, 2]);
});

it('does not keep what was made of the state before a write', async () => {
  await parts.get(own, 'key', async () => {
    write();
    return 'old';
  });
  expect(await get()).toBe(1);
});

it('keeps nothing without room for responses', async () => {
  freshness.maxAgeMs = 0;
  expect([await get(), await get()]).toEqual([1, 2]);
});

it('makes what is read as old as the oldest part of it, and of its parts', async () => {
  const startedAt = performance.now();
  await get(own, 'inner');
  const innerMadeBy = performance.now();
  await parts.get(own, 'outer', () => get(own, 'inner'));
  const reading = { readAt: performance.now() };
  expect(await whileReading(reading, () => get(own, 'outer'))).toBe(1);
  expect(reading.readAt).toBeGreaterThanOrEqual(startedAt);
  expect(reading.readAt).toBeLessThanOrEqual(innerMadeBy);
});

it('makes it once for many who ask at the same time, and anew for who asks after a write', async () => {
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
  write();
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
  const bytes = await valueIn(metrics, 'kept_parts_bytes');
  expect(bytes).toBeLessThanOrEqual(16 * mebibyte);
  expect(bytes).toBeGreaterThan(10 * mebibyte);
});
