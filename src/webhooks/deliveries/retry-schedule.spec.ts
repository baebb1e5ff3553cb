import { describe, expect, it } from '@jest/globals';
import { backoff, retryAfter, attemptsPerRound } from './retry-schedule.js';

const day = 86_400_000;
const waits = (random: number) =>
  Array.from({ length: attemptsPerRound - 1 }, (_, index) => backoff(index + 1, random));

describe('backoff', () => {
  it('grows from 5 seconds to a day, over about two days in all', () => {
    expect(waits(0.5).map((wait) => wait / 1_000)).toEqual([
      5, 20, 80, 320, 1_280, 5_120, 20_480, 81_920, 86_400,
    ]);
    for (const random of [0, 0.5, 1]) {
      const total = waits(random).reduce((sum, wait) => sum + wait, 0);
      expect(total / day).toBeGreaterThan(1.75);
      expect(total / day).toBeLessThan(2.5);
    }
  });

  it('is spread by a fifth either way, never over a day', () => {
    expect([backoff(1, 0), backoff(1, 1)]).toEqual([4_000, 6_000]);
    expect([backoff(9, 0), backoff(9, 1)]).toEqual([0.8 * day, day]);
  });
});

describe('retryAfter', () => {
  const now = new Date('2030-01-31T12:00:00Z');
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['9999999999', day],
    ['9'.repeat(400), day],
    ['Thu, 31 Jan 2030 12:00:30 GMT', 30_000],
    ['Thu, 31 Jan 2030 11:00:00 GMT', 0],
    ['Fri, 31 Jan 2031 12:00:00 GMT', day],
    ['Thu, 31 Foo 2030 12:00:30 GMT', null],
    ['in Thu, 31 Jan 2030 12:00:30 GMT', null],
    ['Thu, 31 Jan 2030 12:00:30 GMT+0200', null],
    ['2030-01-31T12:00:30Z', null],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    [undefined, null],
  ])('reads %s', (header, milliseconds) => {
    expect(retryAfter(header, now)).toBe(milliseconds);
  });
});
