import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MongoError, MongoErrorLabel, ObjectId } from 'mongodb';
import { valueIn } from '../../../test/operations/metrics-text.js';
import { DatabaseUnavailableError } from '../database/connection/database-errors.js';
import {
  ContentionError,
  workDeadline,
  type TransactionOptions,
} from '../database/transactions/transactions.js';
import type { DomainError } from '../http/errors/domain-error.js';
import type { ServiceResponse } from '../idempotency/idempotency-claim.js';
import { Metrics } from '../observability/metrics.js';
import { mebibyte } from '../values/numbers.js';
import { GroupCommit } from './group-commit.js';
import type { WriteServices } from './group-transaction.js';
import type { WriteHandler, WriteRequest } from './write-handler.js';

const restartLabel = MongoErrorLabel.TransientTransactionError;
const organizationId = new ObjectId();
const now = new Date();

interface DoublingRequest extends WriteRequest {
  readonly value: number;
}

interface Records {
  readonly lockKeys: readonly string[];
  bytes: number;
}

function requestFor(value: number, caller: object = {}): DoublingRequest {
  return { caller: { organizationId, ...caller } as DoublingRequest['caller'], value };
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

/** Creates groups that double positive numbers and reject negative ones. */
function createDoublingGroup(
  fail: FailureRule = () => undefined,
  { deadlineMs = 8_000, bytesEach = 0, loadedAtMost = 64, hasRaceHandler = true } = {},
) {
  const attempts: (readonly number[])[] = [];
  const options: TransactionOptions[] = [];
  const duplicates: [string, number][] = [];
  const calls: unknown[][] = [];
  const recordCall =
    (name: string) =>
    async (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const run = async <T>(work: () => Promise<T>, given: TransactionOptions): Promise<T> => {
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
  const services = {
    metrics,
    transactions: { lock: recordCall('lock'), deadlineMs, run },
    snapshots: { withSnapshot: <T>(work: () => T) => work() },
    idempotency: { completeAll: recordCall('complete') },
    errorResponses: { responseTo: () => ({ status: 400 }) },
    clock: { now: () => now },
  };
  const kind: WriteHandler<DoublingRequest, Records, number, ServiceResponse<number>> = {
    name: 'lead',
    load: async (requests, loadOptions) => {
      calls.push(['load', loadOptions]);
      const values = requests.map(({ value }) => value);
      attempts.push(values);
      const error = fail(values, options.at(-1)?.maxConflictWaitMs === undefined);
      if (error) throw error;
      const count = Math.min(requests.length, loadedAtMost);
      return { records: { lockKeys: ['key'], bytes: 0 }, count };
    },
    decide: (records, { value }) => {
      if (value < 0) throw new Error('refused');
      records.bytes += bytesEach;
      return value * 2;
    },
    store: async ({ bytes }, organization) => void calls.push(['store', bytes, organization]),
    respond: (decided) => decided.map(({ decision: body }) => ({ status: 200, body })),
    ...(hasRaceHandler && {
      onDuplicateKey: async (index, { value }) => void duplicates.push([index, value]),
    }),
  };
  const commit = new GroupCommit(services as unknown as WriteServices, kind);
  const submit = async (value: number, caller = {}, sent = {}) =>
    (await commit.submit(requestFor(value, caller), sent)).body ?? 0;
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
  return { commit, attempts, options, duplicates, calls, metrics, submit, submitAll, waiting };
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
/** Sizes the records so that a transaction has room for this many requests. */
const roomFor = (count: number) => ({ bytesEach: (17 * mebibyte) / count });

describe('GroupCommit', () => {
  const lastExpiresFirst = [8_000, 8_000, 8_000, 2_000];
  it.each<[string, Parameters<typeof createDoublingGroup>, unknown[], number[][], number[]?]>([
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
      'rejects only the request that the database refuses',
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
    ['runs requests without onDuplicateKey', [undefined, { hasRaceHandler: false }], [2], [[1]]],
    [
      'rejects a request after its deadline',
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
    const { attempts: attemptedGroups, metrics, submitAll } = createDoublingGroup(...group);
    const values = responses.map((_, index) => index + 1);
    expect(await submitAll(values, deadlines)).toEqual(responses);
    expect(attemptedGroups).toEqual(attempts);
    const isHeldUp = group[0]?.([3, 4], false) === contention;
    expect(await valueIn(metrics, 'lead_groups_held_up_total')).toBe(isHeldUp ? 1 : 0);
  });

  it('limits a group to 32 requests and 1 MiB, and runs a larger request alone', async () => {
    const { attempts, submit } = createDoublingGroup();
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
    const { attempts, submit } = createDoublingGroup();
    await Promise.all([submit(1), submit(2, { organizationId: new ObjectId() }), submit(3)]);
    expect(attempts).toEqual([[1], [2], [3]]);
  });

  it('returns stored responses before the group ends', async () => {
    let submitted: Promise<number>[] = [];
    let seen: unknown;
    const awaitResponses = async (responses: Promise<number>[]) => {
      seen = await Promise.all(responses);
    };
    const { submit } = createDoublingGroup((requests) => {
      // Request 4 runs alone after the group has failed, so requests 1 to 3 already have responses.
      if (requests[0] === 4 && requests.length === 1) void awaitResponses(submitted.slice(0, 3));
      return requests.length > 1 ? refused : undefined;
    });
    submitted = [1, 2, 3, 4, 5].map((request) => submit(request));
    expect(await submitted[4]?.then(() => seen)).toEqual([2, 4, 6]);
  });

  it('keeps the process running when a delayed request fails before its group ends', async () => {
    const { submitAll } = createDoublingGroup((requests, isAlone) => {
      if (requests.length > 1) return refused;
      if (requests[0] !== 2) return undefined;
      return isAlone ? refused : contention;
    });
    // An unhandled rejection would fail the test.
    expect(await submitAll([1, 2, 3, 4, 5])).toEqual([2, expect.any(Error), 6, 8, 10]);
  });

  it('waits 500 ms for another transaction, but without limit for a lone request', async () => {
    const { options, submitAll } = createDoublingGroup(failing(2, contention, false));
    await submitAll([1, 2]);
    expect(options.map((one) => one.maxConflictWaitMs)).toEqual([500, 500, undefined]);
  });

  it('rejects a lone request for the same reasons as in a group', async () => {
    const { submitAll } = createDoublingGroup(failing(-1, contention, false));
    expect(await submitAll([-1])).toEqual([refused]);
  });

  it('runs a group until the last deadline of its requests', async () => {
    const { options, submit, submitAll } = createDoublingGroup();
    const first = submitAll([1, 2]);
    passTime(100);
    await Promise.all([first, submit(3)]);
    expect(options.map(({ expiresAt }) => expiresAt)).toEqual([start + 8_000, start + 8_100]);
  });

  it('calls onDuplicateKey with the newest request of the group', async () => {
    const { duplicates, submitAll } = createDoublingGroup();
    await submitAll([1, 2, 3, 4]);
    expect(duplicates).toEqual([
      ['an index', 1],
      ['an index', 4],
    ]);
  });

  it('runs the remaining requests when some deadlines have passed', async () => {
    const { attempts, submit, submitAll } = createDoublingGroup();
    const earlier = submitAll([1, 2, 3]);
    passTime(7_900);
    const later = submit(4);
    expect(await earlier).toEqual([unavailable, unavailable, unavailable]);
    expect(await later).toBe(8);
    expect(attempts).toEqual([[4]]);
  });

  it('responds to each request when a deadline passes between two clock reads', async () => {
    const { submitAll, waiting } = createDoublingGroup();
    const all = submitAll([1, 2, 3]);
    let clockReads = 0;
    const end = workDeadline(start + 8_000, 8_000);
    clock.mockImplementation(() => (++clockReads <= 2 ? end - 1 : end));
    expect(await all).toEqual([2, unavailable, unavailable]);
    expect(await waiting()).toBe(0);
  });

  it('counts grouped and waiting requests in metrics', async () => {
    const { metrics, submitAll, waiting } = createDoublingGroup();
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
    const { submit } = createDoublingGroup(() => void used.push(context.active().getValue(key)));
    await Promise.all(
      [1, 2, 3, 4].map((request) =>
        context.with(ROOT_CONTEXT.setValue(key, request), () => submit(request)),
      ),
    ).finally(() => context.disable());
    expect(used).toEqual([1, 2]);
  });
});

describe('GroupCommit with batches and idempotency keys', () => {
  const { caller } = requestFor(0);
  const loaded = { organizationId, now, isDryRun: false };
  let commit: ReturnType<typeof createDoublingGroup>['commit'];
  let calls: unknown[][];
  beforeEach(() => {
    ({ commit, calls } = createDoublingGroup(undefined, { bytesEach: 40, loadedAtMost: 4 }));
  });

  const batchOf = (numbers: number[], maxBytes: number) => ({
    ...requestFor(0),
    requests: numbers.map((value) => requestFor(value)),
    maxBytes,
    fullError: new Error('full') as DomainError,
    responseTo: (outcomes: readonly PromiseSettledResult<ServiceResponse>[]) => {
      const body = outcomes.map((one) =>
        one.status === 'fulfilled' ? one.value.body : (one.reason as Error).message,
      );
      return { status: 201, body };
    },
    alsoStore: async (response: ServiceResponse, at: Date) =>
      void calls.push(['also', response.body, at]),
  });

  it('stores a batch up to the first request without room, together with its response', async () => {
    const body = [2, 'refused', 6, 'full', 'full'];
    const response = { status: 201, body };
    expect(await commit.submitAll(batchOf([1, -2, 3, 4, 5], 79))).toEqual(response);
    expect(calls).toEqual([
      ['load', loaded],
      ['lock', organizationId, ['key'], now],
      ['store', 80, organizationId],
      ['also', body, now],
      ['complete', [{ caller, response }], now],
    ]);
  });

  it.each([
    ['the size of the batch', 80],
    ['the loaded records', 1_000],
  ])('returns the results of a dry run up to %s, and stores nothing', async (_title, maxBytes) => {
    const { body } = await commit.dryRun(batchOf([1, -2, 3, 4, 5], maxBytes));
    expect(body).toEqual([2, 'refused', 6, 8, 'full']);
    expect(calls).toEqual([['load', { ...loaded, isDryRun: true }]]);
  });

  it('returns an empty response for an empty batch without a transaction', async () => {
    const empty = { status: 201, body: [] };
    expect(await commit.submitAll(batchOf([], 1))).toEqual(empty);
    expect(await commit.dryRun(batchOf([], 1))).toEqual(empty);
    expect(calls).toEqual([]);
  });

  it.each([
    [1, { status: 200, body: 2 }],
    [-1, { status: 400 }],
  ])('stores the response to %i with its idempotency key', async (value, response) => {
    const claimed = requestFor(value, { claim: {} });
    await commit.submit(claimed, {}).catch(() => undefined);
    await commit.submit(requestFor(value), {}).catch(() => undefined);
    expect(calls[0]).toEqual(['load', loaded]);
    expect(calls.filter(([name]) => name === 'complete')).toEqual([
      ['complete', [{ caller: claimed.caller, response }], now],
      ['complete', [], now],
    ]);
  });
});
