import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MongoError, MongoErrorLabel, ObjectId } from 'mongodb';
import { valueIn } from '../../../test/operations/metrics-text.js';
import { DatabaseUnavailableError } from '../../core/database/connection/database-errors.js';
import {
  ContentionError,
  workDeadline,
  type TransactionOptions,
} from '../../core/database/transactions/transactions.js';
import { Metrics } from '../../core/observability/metrics.js';
import { mebibyte } from '../../core/values/numbers.js';
import type { LeadOutcome, LeadUpsertResult } from './lead-outcomes.js';
import { type LeadGroups, LeadQueue } from './lead-queue.js';
import type { LeadRequest } from './lead-working-set.js';

const restartLabel = MongoErrorLabel.TransientTransactionError;
const organizationId = new ObjectId();

type DoublingRequest = LeadRequest & { readonly value: number };

function requestFor(value: number, caller: object = {}): DoublingRequest {
  return { caller: { organizationId, ...caller }, value } as DoublingRequest;
}

let start: number;
let clock: jest.SpiedFunction<typeof Date.now>;
beforeEach(() => {
  start = Date.now();
  clock = jest.spyOn(Date, 'now').mockReturnValue(start);
});
afterEach(() => void jest.restoreAllMocks());
const passTime = (milliseconds: number) => clock.mockReturnValue(start + milliseconds);

/** Returns the error with which a transaction of these requests fails, if it fails. */
type FailureRule = (requests: readonly number[], isAlone: boolean) => Error | undefined | void;

/** Creates a queue whose groups double positive numbers and refuse negative ones. */
function createDoublingQueue(
  fail: FailureRule = () => undefined,
  { deadlineMs = 8_000, room = 64 } = {},
) {
  const attempts: (readonly number[])[] = [];
  const options: TransactionOptions[] = [];
  const duplicates: [string, unknown][] = [];
  const run = async <T>(work: () => Promise<T>, given: TransactionOptions = {}): Promise<T> => {
    options.push(given);
    await new Promise((resolve) => setImmediate(resolve));
    await given.onDuplicateKey?.('an index');
    try {
      return await work();
    } catch (error) {
      // The MongoDB driver restarts such a transaction, too.
      if (error instanceof MongoError && error.hasErrorLabel(restartLabel)) return work();
      throw error;
    }
  };
  const metrics = new Metrics();
  const groups: LeadGroups = {
    upsertGroup: async (requests) => {
      if (requests.length === 0) return [];
      const values = (requests as readonly DoublingRequest[]).map(({ value }) => value);
      attempts.push(values);
      const error = fail(values, options.at(-1)?.maxConflictWaitMs === undefined);
      if (error) throw error;
      return values.slice(0, room).map((value): LeadOutcome => {
        if (value < 0) return { status: 'rejected', reason: refused };
        return { status: 'fulfilled', value: (value * 2) as unknown as LeadUpsertResult };
      });
    },
    onDuplicateKey: async (index, { requestId }) => void duplicates.push([index, requestId]),
  };
  const queue = new LeadQueue(groups, { deadlineMs, run }, metrics);
  const submit = async (value: number, caller = {}, sent = {}) =>
    Number(await queue.submit(requestFor(value, { requestId: value, ...caller }), sent));
  /** Submits one request for each value, with its own deadline if there is one, and returns the responses or errors. */
  const submitAll = async (values: readonly number[], deadlines: readonly number[] = []) => {
    const outcomes = await Promise.allSettled(
      values.map((value, index) => {
        const deadline = deadlines[index];
        return submit(value, deadline === undefined ? {} : { expiresAt: start + deadline });
      }),
    );
    return outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
  };
  const waiting = () => valueIn(metrics, 'lead_requests_waiting');
  return { queue, attempts, options, duplicates, metrics, submit, submitAll, waiting };
}

const refused = new Error('refused');
const contention = new ContentionError(undefined);
const unavailable = expect.any(DatabaseUnavailableError);
/**
 * Fails each transaction that contains the request. With `isAloneToo` false, only groups fail, not the request alone.
 */
const failing =
  (request: number, error: Error, isAloneToo = true): FailureRule =>
  (requests, isAlone) =>
    requests.includes(request) && (isAloneToo || !isAlone) ? error : undefined;
/** Lets time pass in the first transaction of three requests. */
const delaying =
  (milliseconds: number): FailureRule =>
  ({ length }) =>
    void (length === 3 && passTime(milliseconds));
/** Limits how many requests a transaction has room for. */
const roomFor = (room: number) => ({ room });

describe('LeadQueue', () => {
  const lastExpiresFirst = [8_000, 8_000, 8_000, 2_000];
  it.each<[string, Parameters<typeof createDoublingQueue>, unknown[], number[][], number[]?]>([
    ['runs the first request alone and groups later ones', [], [2, 4, 6, 8], [[1], [2, 3, 4]]],
    [
      'moves requests without room in a transaction to the next one',
      [undefined, roomFor(2)],
      [2, 4, 6, 8],
      [[1], [2, 3, 4], [4]],
    ],
    [
      'returns its own response to each request that waited for room',
      [undefined, roomFor(1)],
      [2, 4, 6, 8, 10],
      [[1], [2, 3, 4, 5], [3, 4, 5], [4, 5], [5]],
    ],
    [
      'refuses only the request that the database refuses',
      [failing(3, refused)],
      [2, 4, refused, 8],
      [[1], [2, 3, 4], [2], [3], [4]],
    ],
    [
      'does not retry when the outcome of a transaction is unknown',
      [failing(3, new DatabaseUnavailableError())],
      [2, unavailable, unavailable, unavailable],
      [[1], [2, 3, 4]],
    ],
    [
      'runs requests in parallel when another transaction delays their group',
      [failing(3, contention, false)],
      [2, 4, 6, 8],
      [[1], [2, 3, 4], [2], [3], [4]],
    ],
    [
      'refuses a request after its deadline',
      [undefined, { deadlineMs: 0 }],
      [unavailable, unavailable],
      [],
    ],
    [
      'stores only the other requests when a deadline passes before the commit',
      [delaying(1_500)],
      [2, 4, 6, unavailable],
      [[1], [2, 3, 4], [2, 3]],
      lastExpiresFirst,
    ],
    [
      'stores a group when only the deadline of a request without room passes',
      [delaying(1_500), roomFor(2)],
      [2, 4, 6, unavailable],
      [[1], [2, 3, 4]],
      lastExpiresFirst,
    ],
  ])('%s', async (_title, group, responses, attempts, deadlines = []) => {
    const { attempts: attemptedGroups, metrics, submitAll } = createDoublingQueue(...group);
    const values = responses.map((_, index) => index + 1);
    expect(await submitAll(values, deadlines)).toEqual(responses);
    expect(attemptedGroups).toEqual(attempts);
    const isHeldUp = group[0]?.([3, 4], false) === contention;
    expect(await valueIn(metrics, 'lead_groups_held_up_total')).toBe(isHeldUp ? 1 : 0);
  });

  it('limits a group to 32 requests and 1 MiB, and runs a larger request alone', async () => {
    const { attempts, submit } = createDoublingQueue();
    const quarter = mebibyte / 4;
    const sizes = [1, ...Array<number>(4).fill(quarter), 5 * mebibyte, 3 * quarter, quarter];
    // BSON adds 13 bytes to an object with one binary value.
    const sent = (size: number) => ({ a: Buffer.alloc(Math.max(0, size - 13)) });
    const bytes = [...sizes, ...Array<number>(33).fill(20)];
    await Promise.all(bytes.map((size, index) => submit(index, {}, sent(size))));
    const groups = attempts.map((values) => [values[0], values.length]);
    expect(groups).toEqual([
      [0, 1],
      [1, 4],
      [5, 1],
      [6, 2],
      [8, 32],
      [40, 1],
    ]);
  });

  it('runs groups of different organizations in parallel', async () => {
    const { attempts, submit } = createDoublingQueue();
    await Promise.all([submit(1), submit(2, { organizationId: new ObjectId() }), submit(3)]);
    expect(attempts).toEqual([[1], [2], [3]]);
  });

  it('returns stored responses before the group ends', async () => {
    let submitted: Promise<number>[] = [];
    let seen: unknown;
    const awaitResponses = async (responses: Promise<number>[]) => {
      seen = await Promise.all(responses);
    };
    const { submit } = createDoublingQueue((requests) => {
      // Request 4 runs alone after the group has failed, so requests 1 to 3 already have responses.
      if (requests[0] === 4 && requests.length === 1) void awaitResponses(submitted.slice(0, 3));
      return requests.length > 1 ? refused : undefined;
    });
    submitted = [1, 2, 3, 4, 5].map((request) => submit(request));
    expect(await submitted[4]?.then(() => seen)).toEqual([2, 4, 6]);
  });

  it('keeps the process running when a delayed request fails before its group ends', async () => {
    const { submitAll } = createDoublingQueue((requests, isAlone) => {
      if (requests.length > 1) return refused;
      if (requests[0] !== 2) return undefined;
      return isAlone ? refused : contention;
    });
    // An unhandled rejection would fail the test.
    expect(await submitAll([1, 2, 3, 4, 5])).toEqual([2, expect.any(Error), 6, 8, 10]);
  });

  it('waits 500 ms for another transaction, but without limit for a lone request', async () => {
    const { options, submitAll } = createDoublingQueue(failing(2, contention, false));
    await submitAll([1, 2]);
    expect(options.map((one) => one.maxConflictWaitMs)).toEqual([500, 500, undefined]);
  });

  it('refuses a lone request for the same reasons as in a group', async () => {
    const { submitAll } = createDoublingQueue(failing(-1, contention, false));
    expect(await submitAll([-1])).toEqual([refused]);
  });

  it('runs a group until the last deadline of its requests', async () => {
    const { options, submit, submitAll } = createDoublingQueue();
    const first = submitAll([1, 2]);
    passTime(100);
    await Promise.all([first, submit(3)]);
    expect(options.map(({ expiresAt }) => expiresAt)).toEqual([start + 8_000, start + 8_100]);
  });

  it('calls onDuplicateKey with the newest request of the group', async () => {
    const { duplicates, submitAll } = createDoublingQueue();
    await submitAll([1, 2, 3, 4]);
    expect(duplicates).toEqual([
      ['an index', 1],
      ['an index', 4],
    ]);
  });

  it('runs the remaining requests when some deadlines have passed', async () => {
    const { attempts, submit, submitAll } = createDoublingQueue();
    const earlier = submitAll([1, 2, 3]);
    passTime(7_900);
    const later = submit(4);
    expect(await earlier).toEqual([unavailable, unavailable, unavailable]);
    expect(await later).toBe(8);
    expect(attempts).toEqual([[4]]);
  });

  it('responds to each request when a deadline passes between two clock reads', async () => {
    const { submitAll, waiting } = createDoublingQueue();
    const all = submitAll([1, 2, 3]);
    let clockReads = 0;
    const end = workDeadline(start + 8_000, 8_000);
    clock.mockImplementation(() => (++clockReads <= 2 ? end - 1 : end));
    expect(await all).toEqual([2, unavailable, unavailable]);
    expect(await waiting()).toBe(0);
  });

  it('counts grouped and waiting requests in metrics', async () => {
    const { metrics, submitAll, waiting } = createDoublingQueue();
    const all = submitAll([1, 2, 3]);
    expect(await waiting()).toBe(2);
    await all;
    expect(await valueIn(metrics, 'lead_group_size_bucket', { le: '1' })).toBe(1);
    expect(await valueIn(metrics, 'lead_group_size_bucket', { le: '2' })).toBe(2);
    expect(await waiting()).toBe(0);
  });

  it('runs a group in the trace of its first request', async () => {
    const key = createContextKey('request');
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const used: unknown[] = [];
    const { submit } = createDoublingQueue(() => void used.push(context.active().getValue(key)));
    await Promise.all(
      [1, 2, 3, 4].map((request) =>
        context.with(ROOT_CONTEXT.setValue(key, request), () => submit(request)),
      ),
    ).finally(() => context.disable());
    expect(used).toEqual([1, 2]);
  });
});
