import { describe, expect, it } from '@jest/globals';
import type {
  LatencyClass,
  WebhookEndpointDocument,
} from '../endpoints/webhook-endpoint.schema.js';
import {
  attemptsPerRound,
  backoff,
  endpointAfter,
  hasValidEventTypes,
  latencyClassAfter,
  outcomeOf,
  retryAfterMs,
  type AttemptResult,
} from './attempt-outcome.js';

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
const day = 86_400_000;
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

/** An endpoint after responses with these statuses. */
const stateAfter = (before: Partial<WebhookEndpointDocument>, ...statuses: (number | null)[]) =>
  endpointAfter(
    { isEnabled: true, ...before },
    statuses.map((statusCode) => result({ statusCode })),
    now,
  );

describe('the latency class', () => {
  it.each<[string, LatencyClass, Partial<AttemptResult>, LatencyClass]>([
    ['a fast success', 'slow', { statusCode: 204, milliseconds: 249 }, 'fast'],
    ['a success in 250 ms', 'fast', { statusCode: 204, milliseconds: 250 }, 'new'],
    ['a success in 5 s', 'fast', { statusCode: 204, milliseconds: 5_000 }, 'slow'],
    ['a success in less than 5 s', 'slow', { statusCode: 204, milliseconds: 4_999 }, 'new'],
    ['a slow failure', 'fast', { milliseconds: 15_000 }, 'slow'],
    ['a fast failure', 'fast', { statusCode: 500 }, 'new'],
    ['a second failure', 'new', { statusCode: 500 }, 'slow'],
  ])(
    'returns the next class after %s when the class was %s',
    (_what, latencyClass, fields, expected) => {
      expect(latencyClassAfter(latencyClass, result(fields))).toBe(expected);
    },
  );

  it('is updated by every result of a batch', () => {
    expect(stateAfter({}, 204).latencyClass).toBe('fast');
    expect(stateAfter({ latencyClass: 'fast' }, 500, 500).latencyClass).toBe('slow');
    expect(stateAfter({ latencyClass: 'fast' }, 500).latencyClass).toBe('new');
  });
});

describe('hasValidEventTypes', () => {
  it.each([
    [undefined, true],
    [[], true],
    [['lead.created'], true],
    ['lead.created', false],
    [{}, false],
  ])('returns for the stored subscriptions %p %p', (eventTypes, expected) => {
    expect(hasValidEventTypes({ eventTypes } as WebhookEndpointDocument)).toBe(expected);
  });
});

describe('the pause of an endpoint', () => {
  it.each([429, 502, 503, 504])('lasts five seconds, or Retry-After, after %i', (statusCode) => {
    expect(stateAfter({}, statusCode).pausedUntil).toEqual(after(5_000));
    const asked = [result({ statusCode }), result({ statusCode, retryAfter: 60_000 })];
    expect(endpointAfter({}, asked, now).pausedUntil).toEqual(after(60_000));
  });

  it.each([null, 200, 400, 410, 500])('is not set after %p', (statusCode) => {
    const asked = [result({ statusCode, retryAfter: 60_000 })];
    expect(endpointAfter({}, asked, now).pausedUntil).toBeNull();
  });

  it('is never shortened', () => {
    const pausedUntil = after(60_000);
    expect(stateAfter({ pausedUntil }, 204).pausedUntil).toEqual(pausedUntil);
    expect(stateAfter({ pausedUntil }, 503).pausedUntil).toEqual(pausedUntil);
  });
});

describe('the consecutive failures of an endpoint', () => {
  const failingSince = after(-5 * day);
  const failingDays = ['2030-01-27', '2030-01-28', '2030-01-29', '2030-01-30'];

  it.each<[string, Partial<WebhookEndpointDocument>, (number | null)[], Date | null, string[]]>([
    ['begin with the first failure', {}, [500], now, ['2030-01-31']],
    ['end with a success', { failingSince, failingDays }, [500, 204], null, []],
    [
      'end with the last of several successes',
      { failingSince, failingDays },
      [204, 500, 204],
      null,
      [],
    ],
    ['begin again after a success', { failingSince, failingDays }, [204, 500], now, ['2030-01-31']],
    [
      'count each day once, and none before the first failure',
      { failingSince: after(-day), failingDays: ['2030-01-29', '2030-01-30', '2030-01-31'] },
      [null],
      after(-day),
      ['2030-01-30', '2030-01-31'],
    ],
  ])('%s', (_what, before, statuses, since, days) => {
    const state = stateAfter(before, ...statuses);
    expect(state).toMatchObject({ failingSince: since, failingDays: days });
    expect(state).not.toHaveProperty('isEnabled');
  });

  it('disable the endpoint on the fifth day with failures', () => {
    const failing = { isEnabled: false, disabledReason: 'failing', updatedAt: now };
    expect(stateAfter({ failingSince, failingDays }, 500)).toMatchObject(failing);
    const early = { failingSince: after(1 - 5 * day), failingDays };
    expect(stateAfter(early, 500)).not.toHaveProperty('isEnabled');
    for (const days of [failingDays.slice(1), undefined]) {
      const seldom = { failingSince: after(-30 * day), ...(days && { failingDays: days }) };
      expect(stateAfter(seldom, 500)).not.toHaveProperty('isEnabled');
    }
    const often = { failingSince: after(-9 * day), failingDays: ['2030-01-26', ...failingDays] };
    const state = stateAfter(often, 500);
    expect(state).toMatchObject({ ...failing, failingDays: [...failingDays, '2030-01-31'] });
  });
});

describe('a response with 410', () => {
  it('disables an enabled endpoint even when another attempt succeeded', () => {
    const gone = { isEnabled: false, disabledReason: 'gone' };
    expect(stateAfter({}, 410, 204)).toMatchObject(gone);
    expect(stateAfter({ isEnabled: false }, 410)).not.toHaveProperty('disabledReason');
  });
});

describe('the fault of an endpoint', () => {
  it('ends when its secrets can be opened', () => {
    expect(stateAfter({ fault: 'x' }, 500)).toMatchObject({ fault: null });
    expect(stateAfter({}, 500)).not.toHaveProperty('fault');
  });
});
