import { describe, expect, it } from '@jest/globals';
import {
  failingSinceLimit,
  outcomeOf,
  type LatencyClass,
  latencyClassAfter,
  pauseUntil,
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
  it.each([200, 201, 204, 299])('counts %i as a success', (statusCode) => {
    expect(outcomeOf(result({ statusCode }), 9, now, 0.5)).toEqual({ status: 'delivered' });
  });

  it.each([null, 100, 199, 300, 301, 302, 307, 400, 401, 404, 409, 422, 429, 500, 503])(
    'retries after %p',
    (statusCode) => {
      expect(outcomeOf(result({ statusCode }), 0, now, 0.5)).toEqual({
        status: 'pending',
        nextAttemptAt: after(5_000),
      });
    },
  );

  it('fails after ten attempts', () => {
    const failed = result({ statusCode: 500 });
    expect(outcomeOf(failed, 8, now, 0.5)).toMatchObject({ status: 'pending' });
    expect(outcomeOf(failed, 9, now, 0.5)).toEqual({ status: 'failed', reason: 'exhausted' });
  });

  it('fails immediately after 410', () => {
    expect(outcomeOf(result({ statusCode: 410 }), 0, now, 0.5)).toEqual({
      status: 'failed',
      reason: 'gone',
    });
  });

  it('waits as long as the receiver asks, and never less than the schedule', () => {
    const asked = (retryAfter: number) =>
      outcomeOf(result({ statusCode: 503, retryAfter }), 0, now, 0.5);
    expect(asked(60_000)).toEqual({ status: 'pending', nextAttemptAt: after(60_000) });
    expect(asked(1_000)).toEqual({ status: 'pending', nextAttemptAt: after(5_000) });
  });
});

describe('pauseUntil', () => {
  it.each([429, 502, 503, 504])('pauses an endpoint that responds with %i', (statusCode) => {
    expect(pauseUntil(result({ statusCode }), now)).toEqual(after(5_000));
    expect(pauseUntil(result({ statusCode, retryAfter: 60_000 }), now)).toEqual(after(60_000));
  });

  it.each([null, 200, 400, 410, 500])('does not after %p', (statusCode) => {
    expect(pauseUntil(result({ statusCode, retryAfter: 60_000 }), now)).toBeNull();
  });
});

describe('latencyClassAfter', () => {
  it.each<[string, LatencyClass, Partial<AttemptResult>, LatencyClass]>([
    ['a quick success', 'slow', { statusCode: 204, milliseconds: 249 }, 'fast'],
    ['a success in a quarter', 'fast', { statusCode: 204, milliseconds: 250 }, 'new'],
    ['a slow success', 'fast', { statusCode: 204, milliseconds: 5_000 }, 'slow'],
    ['a success in less', 'slow', { statusCode: 204, milliseconds: 4_999 }, 'new'],
    ['a slow failure', 'fast', { milliseconds: 15_000 }, 'slow'],
    ['one quick failure', 'fast', { statusCode: 500 }, 'new'],
    ['a second one', 'new', { statusCode: 500 }, 'slow'],
  ])('after %s of a receiver that was %s', (_what, latencyClass, fields, expected) => {
    expect(latencyClassAfter(latencyClass, result(fields))).toBe(expected);
  });
});

describe('failingSinceLimit', () => {
  it('is five days ago', () =>
    expect(failingSinceLimit(now)).toEqual(new Date('2030-01-26T12:00:00Z')));
});
