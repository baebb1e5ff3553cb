import { describe, expect, it } from '@jest/globals';
import { DatabaseUnavailableError } from '../connection/database-errors.js';
import { GroupedTransactions } from './grouped-transactions.js';
import { ContentionError, type TransactionOptions, type Transactions } from './transactions.js';

const limits = { count: 8, bytes: 1_000 };

/** Groups that double numbers, the transactions that were tried, and with which keys. */
function doubling(
  fail: (requests: readonly number[], isAlone: boolean) => Error | undefined = () => undefined,
  { deadlineMs = 8_000, atOnce = limits.count } = {},
) {
  const tried: (readonly number[])[] = [];
  const queued: (readonly string[])[] = [];
  const transactions = {
    run: async <T>(work: () => Promise<T>, { queueKeys }: TransactionOptions): Promise<T> => {
      if (queueKeys !== undefined) queued.push(queueKeys);
      await new Promise((resolve) => setImmediate(resolve));
      return work();
    },
  } as unknown as Transactions;
  const work = {
    run: async (requests: readonly number[]) => {
      tried.push(requests);
      const error = fail(requests, queued.length > 0);
      if (error !== undefined) throw error;
      return requests
        .slice(0, atOnce)
        .map((request) => ({ status: 'fulfilled' as const, value: request * 2 }));
    },
    queueKeys: async (request: number) => [`key of ${request}`],
  };
  const groups = new GroupedTransactions<number, number>(transactions, work, deadlineMs, limits);
  const submitAll = (requests: readonly number[]) =>
    Promise.allSettled(requests.map((request) => groups.submit('all', request, 1)));
  return { tried, queued, submitAll };
}

const values = (outcomes: readonly PromiseSettledResult<number>[]) =>
  outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'));

describe('transactions of groups', () => {
  it('run a first request alone and those that gather meanwhile together', async () => {
    const { tried, submitAll } = doubling();
    expect(values(await submitAll([1, 2, 3, 4]))).toEqual([2, 4, 6, 8]);
    expect(tried).toEqual([[1], [2, 3, 4]]);
  });

  it('run in the next one what a transaction left out', async () => {
    const { tried, submitAll } = doubling(undefined, { atOnce: 2 });
    expect(values(await submitAll([1, 2, 3, 4]))).toEqual([2, 4, 6, 8]);
    expect(tried).toEqual([[1], [2, 3, 4], [4]]);
  });

  it('let a request that cannot be stored fail alone', async () => {
    const { submitAll } = doubling((requests) =>
      requests.includes(3) ? new Error('refused') : undefined,
    );
    expect(values(await submitAll([1, 2, 3, 4]))).toEqual([2, 4, 'failed', 8]);
  });

  it('repeat nothing that the database may have stored', async () => {
    const { tried, submitAll } = doubling((requests) =>
      requests.includes(3) ? new DatabaseUnavailableError() : undefined,
    );
    expect(values(await submitAll([1, 2, 3, 4]))).toEqual([2, 'failed', 'failed', 'failed']);
    expect(tried).toEqual([[1], [2, 3, 4]]);
  });

  it('run requests beside each other when a foreign transaction holds them up', async () => {
    const { queued, submitAll } = doubling((requests, isAlone) =>
      requests.includes(3) && !isAlone ? new ContentionError(undefined) : undefined,
    );
    expect(values(await submitAll([1, 2, 3, 4]))).toEqual([2, 4, 6, 8]);
    expect(queued).toEqual([['key of 2'], ['key of 3'], ['key of 4']]);
  });

  it('leave out a request whose time is over', async () => {
    const { tried, submitAll } = doubling(undefined, { deadlineMs: 0 });
    const outcomes = await submitAll([1, 2]);
    const reason = expect.any(DatabaseUnavailableError);
    expect(outcomes).toEqual([1, 2].map(() => ({ status: 'rejected', reason })));
    expect(tried).toEqual([[], []]);
  });
});
