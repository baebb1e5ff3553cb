import { beforeEach, describe, expect, it, jest } from '@jest/globals';
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
import type { WriteRequest } from './write-kind.js';

const restartLabel = MongoErrorLabel.TransientTransactionError;
const limits = { count: 8, bytes: 1_000 };
const organizationId = new ObjectId();

interface Doubling extends WriteRequest {
  readonly value: number;
}

/** A request of one organization. */
function doublingOf(value: number, expiresAt?: number, organization = organizationId): Doubling {
  const caller = {
    organizationId: organization,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  return { caller: caller as Doubling['caller'], value };
}

/** Groups that double numbers, the transactions that were tried, and with which keys. */
function doubling(
  fail: (requests: readonly number[], isAlone: boolean) => Error | undefined = () => undefined,
  {
    deadlineMs = 8_000,
    atOnce = limits.count,
    isRefused = false,
    hearsOfRaces = true,
    hasLimits = true,
  } = {},
) {
  const tried: (readonly number[])[] = [];
  const duplicates: [string, number][] = [];
  const options: TransactionOptions[] = [];
  const transactions = {
    lock: async () => undefined,
    deadlineMs,
    run: async <T>(work: () => Promise<T>, given: TransactionOptions): Promise<T> => {
      options.push(given);
      await new Promise((resolve) => setImmediate(resolve));
      await given.onDuplicateKey?.('an index');
      try {
        return await work();
      } catch (error) {
        // As the driver does.
        const isRestarted = error instanceof MongoError && error.hasErrorLabel(restartLabel);
        if (!isRestarted) throw error;
        return work();
      }
    },
  };
  const metrics = new Metrics();
  const services = {
    metrics,
    transactions,
    idempotency: { completeAll: async () => undefined },
    errorResponses: { of: () => ({ status: 400 }) },
    clock: { now: () => new Date() },
  };
  const load = async (requests: readonly Doubling[]) => {
    const values = requests.map(({ value }) => value);
    tried.push(values);
    const error = fail(values, options.at(-1)?.maxConflictWaitMs === undefined);
    if (error !== undefined) throw error;
    return { records: { lockKeys: [], bytes: 0 }, count: requests.length };
  };
  const decide = (records: { bytes: number }, { value }: Doubling) => {
    if (isRefused) throw new Error(`refused ${value}`);
    records.bytes += (17 * mebibyte) / atOnce;
    return value * 2;
  };
  const groups = new GroupCommit<
    Doubling,
    { lockKeys: []; bytes: number },
    number,
    ServiceResponse<number>
  >(
    services as unknown as WriteServices,
    {
      name: 'lead',
      load: load as never,
      decide,
      store: async () => undefined,
      respond: (decided) => decided.map(({ decision: body }) => ({ status: 200, body })),
      ...(hearsOfRaces && {
        onDuplicateKey: async (index, { value }) => void duplicates.push([index, value]),
      }),
    },
    ...(hasLimits ? [limits] : []),
  );
  const submit = async (value: number, expiresAt?: number, sent = {}, organization?: ObjectId) =>
    (await groups.submit(doublingOf(value, expiresAt, organization), sent)).body ?? 0;
  const submitAll = (requests: readonly number[]) =>
    Promise.allSettled(requests.map((request) => submit(request)));
  return { tried, duplicates, options, metrics, submit, submitAll };
}

const values = (outcomes: readonly PromiseSettledResult<number>[]) =>
  outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'));

/** Fails the transactions that have a request; those of a lone request too, if it is not `isAlone`. */
const failing =
  (request: number, error: Error, isAloneToo = true) =>
  (requests: readonly number[], isAlone: boolean) =>
    requests.includes(request) && (isAloneToo || !isAlone) ? error : undefined;
const contention = new ContentionError(undefined);

describe('GroupCommit', () => {
  it.each<[string, Parameters<typeof doubling>, unknown[], number[][]]>([
    ['runs the first request alone and groups later ones', [], [2, 4, 6, 8], [[1], [2, 3, 4]]],
    [
      'moves requests without room in a transaction to the next one',
      [undefined, { atOnce: 2 }],
      [2, 4, 6, 8],
      [[1], [2, 3, 4], [4]],
    ],
    [
      'returns its own response to each request that waited for room',
      [undefined, { atOnce: 1 }],
      [2, 4, 6, 8, 10],
      [[1], [2, 3, 4, 5], [3, 4, 5], [4, 5], [5]],
    ],
    [
      'rejects only the request that the database refuses',
      [failing(3, new Error('refused'))],
      [2, 4, 'failed', 8],
      [[1], [2, 3, 4], [2], [3], [4]],
    ],
    [
      'does not retry when the outcome of a transaction is unknown',
      [failing(3, new DatabaseUnavailableError())],
      [2, 'failed', 'failed', 'failed'],
      [[1], [2, 3, 4]],
    ],
    [
      'runs requests in parallel when another transaction delays their group',
      [failing(3, contention, false)],
      [2, 4, 6, 8],
      [[1], [2, 3, 4], [2], [3], [4]],
    ],
    ['accepts requests that ignore lost races', [undefined, { hearsOfRaces: false }], [2], [[1]]],
  ])('%s', async (_title, group, results, tried) => {
    const { tried: ran, metrics, submitAll } = doubling(...group);
    expect(values(await submitAll(results.map((_, index) => index + 1)))).toEqual(results);
    expect(ran).toEqual(tried);
    const isHeldUp = group[0]?.([3, 4], false) === contention;
    expect(await valueIn(metrics, 'lead_groups_held_up_total')).toBe(isHeldUp ? 1 : 0);
  });

  it('limits a group by count and bytes, and runs a larger request alone', async () => {
    const { tried, submit } = doubling();
    const bytes = [1, 200, 200, 200, 200, 200, 5_000, 600, 400, ...Array<number>(9).fill(20)];
    // An object of one binary value has 13 bytes more.
    const sent = (size: number) => ({ a: Buffer.alloc(Math.max(0, size - 13)) });
    await Promise.all(bytes.map((size, index) => submit(index, undefined, sent(size))));
    expect(tried).toEqual([
      [0],
      [1, 2, 3, 4, 5],
      [6],
      [7, 8],
      [9, 10, 11, 12, 13, 14, 15, 16],
      [17],
    ]);
  });

  it('limits a group to 32 requests and 1 MiB by default', async () => {
    const { tried, submit, submitAll } = doubling(undefined, { atOnce: 64, hasLimits: false });
    await submitAll(Array<number>(40).fill(1));
    expect(tried.map(({ length }) => length)).toEqual([1, 32, 7]);
    const half = { a: Buffer.alloc(mebibyte / 2 - 13) };
    await Promise.all([1, 2, 3, 4].map((value) => submit(value, undefined, half)));
    expect(tried.slice(3)).toEqual([[1], [2, 3], [4]]);
  });

  it('runs groups of different organizations in parallel', async () => {
    const { tried, submit } = doubling();
    const first = submit(1);
    await Promise.all([first, submit(2, undefined, {}, new ObjectId()), submit(3)]);
    expect(tried).toEqual([[1], [2], [3]]);
  });

  it('returns stored responses before the group ends', async () => {
    let submitted: Promise<number>[] = [];
    let seen: unknown;
    const look = async (responses: Promise<number>[]) => {
      seen = await Promise.all(responses);
    };
    const { submit } = doubling((requests) => {
      if (requests[0] === 4 && requests.length === 1) {
        // Only later requests are still running.
        void look(submitted.slice(0, 3));
      }
      return requests.length > 1 ? new Error('one of them cannot be stored') : undefined;
    });
    submitted = [1, 2, 3, 4, 5].map((request) => submit(request));
    expect(await submitted[4]?.then(() => seen)).toEqual([2, 4, 6]);
  });

  it('keeps the process running when a delayed request fails before its group ends', async () => {
    const { submitAll } = doubling((requests, isAlone) => {
      if (requests.length > 1) return new Error('one of them cannot be stored');
      if (requests[0] !== 2) return undefined;
      return isAlone ? new Error('refused') : contention;
    });
    // An unhandled rejection fails the test.
    expect(values(await submitAll([1, 2, 3, 4, 5]))).toEqual([2, 'failed', 6, 8, 10]);
  });

  it('waits 500 ms for another transaction, but without limit for a lone request', async () => {
    const { options, submitAll } = doubling((requests, isAlone) =>
      requests.includes(2) && !isAlone ? contention : undefined,
    );
    await submitAll([1, 2]);
    expect(options.map((one) => one.maxConflictWaitMs)).toEqual([500, 500, undefined]);
  });

  it('rejects a lone request for the same reasons as in a group', async () => {
    let isFirst = true;
    const { submitAll } = doubling(
      () => {
        if (!isFirst) return undefined;
        isFirst = false;
        return contention;
      },
      { isRefused: true },
    );
    const [outcome] = await submitAll([1]);
    expect(outcome).toEqual({ status: 'rejected', reason: new Error('refused 1') });
  });

  it('continues until the last deadline of the group', async () => {
    const { options, submit, submitAll } = doubling();
    const start = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(start);
    const first = submitAll([1, 2]);
    now.mockReturnValue(start + 100);
    await Promise.all([first, submit(3)]);
    jest.restoreAllMocks();
    expect(options.map(({ expiresAt }) => expiresAt)).toEqual([start + 8_000, start + 8_100]);
  });

  it('rejects a request after its deadline', async () => {
    const { tried, submitAll } = doubling(undefined, { deadlineMs: 0 });
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const outcomes = await submitAll([1, 2]);
    jest.restoreAllMocks();
    const reason = expect.any(DatabaseUnavailableError);
    expect(outcomes).toEqual([1, 2].map(() => ({ status: 'rejected', reason })));
    expect(tried).toEqual([]);
  });

  it('stores only the other requests when a deadline passes before the commit', async () => {
    const start = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(start);
    const { tried, submit } = doubling((requests) => {
      // The second attempt finds the time as the first one left it.
      if (requests.length === 3) now.mockReturnValue(start + 1_500);
      return undefined;
    });
    const submitFor = (request: number, expiresAt: number) => submit(request, start + expiresAt);
    const outcomes = await Promise.allSettled([
      submitFor(1, 8_000),
      submitFor(2, 8_000),
      submitFor(3, 2_000),
      submitFor(4, 8_000),
    ]);
    jest.restoreAllMocks();
    expect(values(outcomes)).toEqual([2, 4, 'failed', 8]);
    expect(tried).toEqual([[1], [2, 3, 4], [2, 4]]);
  });

  it('stores a group when only the deadline of a request without room passes', async () => {
    const start = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(start);
    const { tried, submit } = doubling(
      (requests) => {
        if (requests.length === 3) now.mockReturnValue(start + 1_500);
        return undefined;
      },
      { atOnce: 2 },
    );
    const ends = [8_000, 8_000, 8_000, 2_000];
    const outcomes = await Promise.allSettled(
      ends.map((end, index) => submit(index + 1, start + end)),
    );
    jest.restoreAllMocks();
    expect(values(outcomes)).toEqual([2, 4, 6, 'failed']);
    expect(tried).toEqual([[1], [2, 3, 4]]);
  });

  it('reports a lost race together with the newest request of the group', async () => {
    const { duplicates, submitAll } = doubling();
    await submitAll([1, 2, 3, 4]);
    expect(duplicates).toEqual([
      ['an index', 1],
      ['an index', 4],
    ]);
  });

  it('runs the remaining requests when some deadlines have passed', async () => {
    const { tried, submit, submitAll } = doubling();
    const old = submitAll([1, 2, 3]);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 7_900);
    const young = submit(4);
    const outcomes = await old;
    jest.restoreAllMocks();
    expect(values(outcomes)).toEqual(['failed', 'failed', 'failed']);
    expect(await young).toBe(8);
    expect(tried).toEqual([[4]]);
  });

  it('compares all deadlines with one time, so each request gets its own response', async () => {
    const { metrics, submitAll } = doubling();
    const start = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(start);
    const all = submitAll([1, 2, 3]);
    // It is over between two looks at the clock.
    let looks = 0;
    const end = workDeadline(start + 8_000, 8_000);
    clock.mockImplementation(() => (++looks <= 2 ? end - 1 : end));
    const outcomes = values(await all);
    jest.restoreAllMocks();
    for (const [index, outcome] of outcomes.entries()) {
      expect(['failed', 2 * (index + 1)]).toContain(outcome);
    }
    expect(await valueIn(metrics, 'lead_requests_waiting')).toBe(0);
  });

  it('counts grouped and waiting requests', async () => {
    const { metrics, submitAll } = doubling();
    const all = submitAll([1, 2, 3]);
    expect(await valueIn(metrics, 'lead_requests_waiting')).toBe(2);
    await all;
    expect(await valueIn(metrics, 'lead_group_size_bucket', { le: '1' })).toBe(1);
    expect(await valueIn(metrics, 'lead_group_size_bucket', { le: '2' })).toBe(2);
    expect(await valueIn(metrics, 'lead_requests_waiting')).toBe(0);
    expect(await valueIn(metrics, 'lead_groups_held_up_total')).toBe(0);
  });

  it('runs a group in the trace of its first request', async () => {
    const key = createContextKey('request');
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const used: unknown[] = [];
    const { submit } = doubling(() => {
      used.push(context.active().getValue(key));
      return undefined;
    });
    await Promise.all(
      [1, 2, 3, 4].map((request) =>
        context.with(ROOT_CONTEXT.setValue(key, request), () => submit(request)),
      ),
    ).finally(() => context.disable());
    expect(used).toEqual([1, 2]);
  });
});

describe('GroupCommit with batches and idempotency keys', () => {
  const now = new Date();
  let calls: unknown[][];
  let commit: GroupCommit<Doubling, { lockKeys: string[]; bytes: number }, number, ServiceResponse>;

  beforeEach(() => {
    calls = [];
    const note =
      (name: string) =>
      async (...args: unknown[]) =>
        void calls.push([name, ...args]);
    const services = {
      metrics: new Metrics(),
      transactions: { lock: note('lock'), deadlineMs: 8_000, run: <T>(work: () => T) => work() },
      snapshots: { during: <T>(work: () => T) => work() },
      idempotency: { completeAll: note('complete') },
      errorResponses: { of: () => ({ status: 400 }) },
      clock: { now: () => now },
    };
    commit = new GroupCommit(services as unknown as WriteServices, {
      name: 'lead',
      load: async (requests, options) => {
        calls.push(['load', options]);
        return { records: { lockKeys: ['key'], bytes: 0 }, count: Math.min(requests.length, 4) };
      },
      decide: (records, { value }) => {
        if (value < 0) throw new Error('refused');
        records.bytes += 40;
        return value * 2;
      },
      store: async ({ bytes }, organization) => void calls.push(['store', bytes, organization]),
      respond: (decided) => decided.map(({ decision: body }) => ({ status: 200, body })),
    });
  });

  const batchOf = (numbers: number[], maxBytes: number) => ({
    ...doublingOf(0),
    requests: numbers.map((value) => doublingOf(value)),
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
  const answered = [2, 'refused', 6, 'full', 'full'];
  const { caller } = doublingOf(0);

  it('stores a batch with its response, up to the first request without room', async () => {
    const response = { status: 201, body: answered };
    expect(await commit.submitAll(batchOf([1, -2, 3, 4, 5], 79))).toEqual(response);
    expect(calls).toEqual([
      ['load', { organizationId, now, isDryRun: false }],
      ['lock', organizationId, ['key'], now],
      ['store', 80, organizationId],
      ['also', answered, now],
      ['complete', [{ caller, response }], now],
    ]);
  });

  it.each([
    ['its size', 80],
    ['the loaded records', 1_000],
  ])('reads what a batch would get within %s and stores nothing', async (_limit, maxBytes) => {
    const { body } = await commit.dryRun(batchOf([1, -2, 3, 4, 5], maxBytes));
    expect(body).toEqual([2, 'refused', 6, 8, 'full']);
    expect(calls).toEqual([['load', { organizationId, now, isDryRun: true }]]);
  });

  it('answers an empty batch without a transaction', async () => {
    const empty = { status: 201, body: [] };
    expect(await commit.submitAll(batchOf([], 1))).toEqual(empty);
    expect(await commit.dryRun(batchOf([], 1))).toEqual(empty);
    expect(calls).toEqual([]);
  });

  it.each([
    [1, { status: 200, body: 2 }],
    [-1, { status: 400 }],
  ])('stores the response to %i with its idempotency key', async (value, response) => {
    const claimed = { value, caller: { ...caller, claim: {} as never } };
    await commit.submit(claimed, {}).catch(() => undefined);
    await commit.submit(doublingOf(value), {}).catch(() => undefined);
    const loaded = { organizationId, now, isDryRun: false };
    expect(calls[0]).toEqual(['load', loaded]);
    const completed = calls.filter(([name]) => name === 'complete');
    expect(completed).toEqual([
      ['complete', [{ caller: claimed.caller, response }], now],
      ['complete', [], now],
    ]);
  });
});
