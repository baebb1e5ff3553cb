import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import type {
  LatencyClass,
  WebhookEndpointDocument,
} from '../endpoints/webhook-endpoint.schema.js';
import {
  attemptsPerRound,
  backoffMs,
  applyResults,
  hasValidEventTypes,
  latencyClassAfter,
  attemptOutcome,
  retryAfterMs,
  type AttemptResult,
  type DeliveryOutcome,
} from './attempt-outcome.js';

type Endpoint = Partial<WebhookEndpointDocument>;

const now = new Date('2030-01-31T12:00:00Z');
const day = 86_400_000;
const nowPlus = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const result = (fields: Partial<AttemptResult>): AttemptResult => ({
  startedAt: now,
  milliseconds: 1,
  statusCode: null,
  response: null,
  error: null,
  retryAfter: null,
  ...fields,
});
const delivery = { _id: new Types.ObjectId(), objectId: 'lead', attempts: 2 };
const attemptWith = (fields: Partial<AttemptResult>) => ({ delivery, result: result(fields) });
const stateAfter = (before: Endpoint, ...statuses: (number | null)[]) =>
  applyResults(
    { isEnabled: true, ...before },
    statuses.map((statusCode) => attemptWith({ statusCode })),
    now,
  );

describe('attemptOutcome', () => {
  const retry = (wait: number) => ({ nextAttemptAt: nowPlus(wait) });
  const ended = (status: 'delivered' | 'failed', failureReason: 'gone' | 'exhausted' | null) => ({
    completedAt: now,
    status,
    failureReason,
  });

  it.each<[number | null, number, number | null, Partial<DeliveryOutcome>]>([
    [200, 9, null, ended('delivered', null)],
    [299, 0, null, ended('delivered', null)],
    [null, 0, null, retry(5_000)],
    [199, 0, null, retry(5_000)],
    [300, 0, null, retry(5_000)],
    [500, 8, null, retry(day)],
    [500, 9, null, ended('failed', 'exhausted')],
    [410, 0, null, ended('failed', 'gone')],
    [503, 0, 60_000, retry(60_000)],
    [503, 0, 1_000, retry(5_000)],
  ])(
    'for status %p, %i earlier attempts and Retry-After %p returns %j',
    (statusCode, earlierAttempts, retryAfter, outcome) => {
      const found = attemptOutcome(result({ statusCode, retryAfter }), earlierAttempts, now, 0.5);
      expect(found).toEqual({ attempts: earlierAttempts + 1, updatedAt: now, ...outcome });
    },
  );
});

describe('backoffMs', () => {
  it('grows from 5 seconds to one day', () => {
    const waits = Array.from({ length: attemptsPerRound - 1 }, (_, index) =>
      backoffMs(index + 1, 0.5),
    );
    expect(waits).toEqual(
      [5, 20, 80, 320, 1_280, 5_120, 20_480, 81_920, 86_400].map((s) => s * 1_000),
    );
  });

  it('has 20 % jitter and never exceeds one day', () => {
    const waits = [1, 9].map((failed) => [backoffMs(failed, 0), backoffMs(failed, 1)]);
    expect(waits).toEqual([
      [4_000, 6_000],
      [0.8 * day, day],
    ]);
  });
});

it.each([
  ['0', 0],
  ['120', 120_000],
  ['9'.repeat(400), day],
  ['Thu, 31 Jan 2030 12:00:30 GMT', 30_000],
  ['Thu, 31 Jan 2030 11:00:00 GMT', 0],
  ['Fri, 31 Jan 2031 12:00:00 GMT', day],
  ['Thu, 31 Foo 2030 12:00:30 GMT', null],
  ['in Thu, 31 Jan 2030 12:00:30 GMT', null],
  ['Thu, 31 Jan 2030 12:00:30 GMT+0200', null],
  ['-5', null],
  ['1.5', null],
  [undefined, null],
])('retryAfterMs(%j) returns %p', (header, milliseconds) => {
  expect(retryAfterMs(header, now)).toBe(milliseconds);
});

it.each([
  [undefined, true],
  [['lead.created'], true],
  ['lead.created', false],
])('hasValidEventTypes({ eventTypes: %j }) returns %p', (eventTypes, expected) => {
  expect(hasValidEventTypes({ eventTypes } as WebhookEndpointDocument)).toBe(expected);
});

describe('the latency class', () => {
  it.each<[LatencyClass, number | null, number, LatencyClass]>([
    ['slow', 204, 249, 'fast'],
    ['fast', 204, 250, 'new'],
    ['slow', 204, 4_999, 'new'],
    ['fast', 204, 5_000, 'slow'],
    ['fast', null, 5_000, 'slow'],
    ['fast', 500, 1, 'new'],
    ['new', 500, 1, 'slow'],
  ])(
    'of a %s endpoint after status %p in %i ms is %s',
    (before, statusCode, milliseconds, expected) => {
      expect(latencyClassAfter(before, result({ statusCode, milliseconds }))).toBe(expected);
    },
  );

  it('is updated by every result of a batch', () => {
    expect(stateAfter({}, 204).latencyClass).toBe('fast');
    expect(stateAfter({ latencyClass: 'fast' }, 500).latencyClass).toBe('new');
    expect(stateAfter({ latencyClass: 'fast' }, 500, 500).latencyClass).toBe('slow');
  });
});

describe('the pause of an endpoint', () => {
  const until = nowPlus(60_000);

  it.each<[Endpoint, number | null, number | null, Date | null]>([
    [{}, 429, null, nowPlus(5_000)],
    [{}, 502, null, nowPlus(5_000)],
    [{}, 503, 60_000, until],
    [{}, 504, 60_000, until],
    [{}, null, 60_000, null],
    [{}, 200, 60_000, null],
    [{}, 500, 60_000, null],
    [{ pausedUntil: until }, 204, null, until],
    [{ pausedUntil: until }, 503, null, until],
  ])(
    'with %j after status %p and Retry-After %p lasts until %p',
    (before, statusCode, retryAfter, pausedUntil) => {
      const state = applyResults(before, [attemptWith({ statusCode, retryAfter })], now);
      expect(state.pausedUntil).toEqual(pausedUntil);
    },
  );

  it('is the longest that the results of a batch require', () => {
    const attempts = [60_000, null].map((retryAfter) =>
      attemptWith({ statusCode: 503, retryAfter }),
    );
    expect(applyResults({}, attempts, now).pausedUntil).toEqual(until);
  });
});

describe('the consecutive failures of an endpoint', () => {
  const today = '2030-01-31';
  const failingDays = ['2030-01-27', '2030-01-28', '2030-01-29', '2030-01-30'];
  const failing = { failingSince: nowPlus(-5 * day), failingDays };

  it.each<[string, Endpoint, (number | null)[], Date | null, string[]]>([
    ['begin with the first failure', {}, [500], now, [today]],
    ['end with a success', failing, [500, 204], null, []],
    ['end with the last of several successes', failing, [204, 500, 204], null, []],
    ['begin again after a success', failing, [204, 500], now, [today]],
    [
      'count each day once, and none before the first failure',
      { failingSince: nowPlus(-day), failingDays: ['2030-01-29', '2030-01-30', today] },
      [null],
      nowPlus(-day),
      ['2030-01-30', today],
    ],
  ])('%s', (_title, before, statuses, failingSince, days) => {
    const state = stateAfter(before, ...statuses);
    expect(state).toMatchObject({ failingSince, failingDays: days });
    expect(state).not.toHaveProperty('isEnabled');
  });

  it.each<[Endpoint, (number | null)[], number]>([
    [{}, [500], 1],
    [{ failingSince: now, failedAttempts: 4 }, [500, null], 6],
    [{ failingSince: now }, [500], 1],
    [{ failingSince: null, failedAttempts: 4 }, [500], 1],
    [{ failingSince: now, failedAttempts: 4 }, [500, 204, 500], 1],
    [{ failingSince: now, failedAttempts: 4 }, [500, 204], 0],
  ])('of %j after the statuses %j are %i', (before, statuses, failedAttempts) => {
    expect(stateAfter(before, ...statuses)).toMatchObject({ failedAttempts });
  });

  it('disable the endpoint on the fifth day with failures', () => {
    const disabled = { isEnabled: false, disabledReason: 'failing', updatedAt: now };
    expect(stateAfter(failing, 500)).toMatchObject(disabled);
    const older = { failingSince: nowPlus(-9 * day), failingDays: ['2030-01-26', ...failingDays] };
    const days = [...failingDays, today];
    expect(stateAfter(older, 500)).toMatchObject({ ...disabled, failingDays: days });
  });

  it.each<[string, Endpoint]>([
    ['less than five days', { failingSince: nowPlus(1 - 5 * day), failingDays }],
    ['four days of many', { failingSince: nowPlus(-30 * day), failingDays: failingDays.slice(1) }],
    ['one day of many', { failingSince: nowPlus(-30 * day) }],
  ])('keep the endpoint enabled on %s', (_title, before) => {
    expect(stateAfter(before, 500)).not.toHaveProperty('isEnabled');
  });
});

describe('the last failure of an endpoint', () => {
  const failure = { statusCode: 500, response: 'no', contentType: 'text/plain' };

  it('is the last failed attempt of a batch, even before a success', () => {
    const attempts = [
      attemptWith({ ...failure, statusCode: 400 }),
      attemptWith({ ...failure, startedAt: nowPlus(1) }),
      attemptWith({ statusCode: 204 }),
    ];
    const { lastFailure, lastSuccessAt } = applyResults({}, attempts, nowPlus(9));
    expect(lastFailure).toEqual({
      at: nowPlus(1),
      statusCode: 500,
      error: null,
      attempt: 3,
      excerpt: 'no',
      deliveryId: delivery._id,
      objectId: 'lead',
    });
    expect(lastSuccessAt).toEqual(nowPlus(9));
  });

  it('has no excerpt of a response to a delivery whose personal data was removed', () => {
    const erased = { delivery: { ...delivery, erasedAt: now }, result: result(failure) };
    expect(applyResults({}, [erased], now).lastFailure).toMatchObject({ excerpt: null });
  });

  it('is kept after a success, as is the last success after a failure', () => {
    expect(stateAfter({}, 204)).not.toHaveProperty('lastFailure');
    expect(stateAfter({}, 500)).not.toHaveProperty('lastSuccessAt');
  });
});

describe('an endpoint', () => {
  it('is disabled by 410 even when another attempt succeeded', () => {
    const gone = { isEnabled: false, disabledReason: 'gone' };
    expect(stateAfter({}, 410, 204)).toMatchObject(gone);
    expect(stateAfter({ isEnabled: false }, 410)).not.toHaveProperty('disabledReason');
  });

  it('is no longer faulty once its secrets can be opened', () => {
    expect(stateAfter({ fault: 'x' }, 500)).toMatchObject({ fault: null });
    expect(stateAfter({}, 500)).not.toHaveProperty('fault');
  });
});
