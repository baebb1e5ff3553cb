import { describe, expect, it } from '@jest/globals';
import {
  attemptsPerRound,
  backoff,
  outcomeOf,
  retryAfterMs,
  type AttemptResult,
} from './delivery-outcome.js';

const now = new Date('2030-01-31T12:00:00Z');
const result = (fields: Partial<AttemptResult>): AttemptResult => ({
  startedAt: now,
  milliseconds: 1,
  statusCode: null,
  response: null,
  error: null,
  retryAfter: null,
  ...fields,
});
const after = (milliseconds: number) => new Date(now.getTime() + milliseconds);

describe('outcomeOf', () => {
  const completed = { updatedAt: now, completedAt: now };

  it.each([200, 201, 204, 299])('returns delivered after %i', (statusCode) => {
    const delivered = { ...completed, attempts: 10, status: 'delivered', failureReason: null };
    expect(outcomeOf(result({ statusCode }), 9, now, 0.5)).toEqual(delivered);
  });

  it.each([null, 100, 199, 300, 301, 302, 307, 400, 401, 404, 409, 422, 429, 500, 503])(
    'returns a retry, and no status, after %p',
    (statusCode) => {
      const retried = { attempts: 1, updatedAt: now, nextAttemptAt: after(5_000) };
      expect(outcomeOf(result({ statusCode }), 0, now, 0.5)).toEqual(retried);
    },
  );

  it('returns failed after ten attempts', () => {
    const error = result({ statusCode: 500 });
    expect(outcomeOf(error, 8, now, 0.5)).not.toHaveProperty('status');
    const failed = { ...completed, attempts: 10, status: 'failed', failureReason: 'exhausted' };
    expect(outcomeOf(error, 9, now, 0.5)).toEqual(failed);
  });

  it('returns failed at once after 410', () => {
    const gone = { ...completed, attempts: 1, status: 'failed', failureReason: 'gone' };
    expect(outcomeOf(result({ statusCode: 410 }), 0, now, 0.5)).toEqual(gone);
  });

  it('waits for Retry-After, and never less than the schedule', () => {
    const asked = (retryAfter: number) =>
      outcomeOf(result({ statusCode: 503, retryAfter }), 0, now, 0.5).nextAttemptAt;
    expect(asked(60_000)).toEqual(after(60_000));
    expect(asked(1_000)).toEqual(after(5_000));
  });
});

const day = 86_400_000;
const waits = Array.from({ length: attemptsPerRound - 1 }, (_, index) => backoff(index + 1, 0.5));

describe('backoff', () => {
  it('grows from 5 seconds to one day', () => {
    expect(waits.map((wait) => wait / 1_000)).toEqual([
      5, 20, 80, 320, 1_280, 5_120, 20_480, 81_920, 86_400,
    ]);
  });

  it('has 20 % jitter and never exceeds one day', () => {
    expect([backoff(1, 0), backoff(1, 1)]).toEqual([4_000, 6_000]);
    expect([backoff(9, 0), backoff(9, 1)]).toEqual([0.8 * day, day]);
  });
});

describe('retryAfterMs', () => {
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
  ])('parses the header %s as %p', (header, milliseconds) => {
    expect(retryAfterMs(header, now)).toBe(milliseconds);
  });
});
