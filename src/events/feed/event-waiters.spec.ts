import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Types } from 'mongoose';
import { EventWaiters } from './event-waiters.js';

const [one, other] = [new Types.ObjectId(), new Types.ObjectId()];
const long = 60_000;

function newWaiters(most = 10) {
  /** What this process numbers, and the numbers of all processes by organization. */
  let numberHere: (organizationId: Types.ObjectId) => void = () => {};
  const last = new Map<string, number>();
  const lastNumbers = jest.fn(async (_ids: readonly Types.ObjectId[]) => last);
  const numbering = { onNumbered: (listener: typeof numberHere) => (numberHere = listener) };
  const waiters = new EventWaiters(numbering, { lastNumbers }, most);
  const client = new AbortController();
  const enlist = (organizationId = one, milliseconds = long) =>
    waiters.enlist(organizationId, milliseconds, client.signal);
  const number = (ids: readonly Types.ObjectId[]) => ids.forEach((id) => numberHere(id));
  return { waiters, client, enlist, number, last, lastNumbers };
}

describe('requests that wait for events', () => {
  it('are woken for their organization only, also by what came before they waited', async () => {
    const { waiters, enlist, number } = newWaiters();
    const [mine, others] = [enlist(one), enlist(other)];
    number([one]);
    expect(await mine.news(0)).toBe(true);
    number([one, other]);
    expect(await others.news(0)).toBe(true);
    expect(await mine.news(0)).toBe(true);
    for (const waiter of [mine, others]) waiter.leave();
    expect(waiters.stats()).toEqual({ waiting: 0, cutShort: 0 });
  });

  it('end when their time is over, their client leaves, or the process ends', async () => {
    const { waiters, client, enlist } = newWaiters();
    const short = enlist(one, 1);
    expect([await short.news(0), await short.news(0)]).toEqual([false, false]);
    const left = enlist();
    client.abort();
    expect(await left.news(0)).toBe(false);
    const afterwards = enlist();
    expect(await afterwards.news(0)).toBe(false);
    const ending = newWaiters();
    const early = ending.enlist();
    ending.waiters.endAll();
    const late = ending.enlist();
    expect([await early.news(0), await late.news(0)]).toEqual([false, false]);
    for (const each of [short, left, afterwards, early, late]) each.leave();
    expect(waiters.stats().waiting).toBe(0);
  });

  it('are never too many: the longest of the organization with the most makes room', async () => {
    const { waiters, enlist, number } = newWaiters(3);
    const quiet = enlist(other);
    const [first, second] = [enlist(one), enlist(one)];
    const third = enlist(one);
    expect(await first.news(0)).toBe(false);
    expect(waiters.stats()).toEqual({ waiting: 3, cutShort: 1 });
    number([one, other]);
    for (const waiter of [quiet, second, third]) expect(await waiter.news(0)).toBe(true);
    for (const waiter of [quiet, first, second, third]) waiter.leave();
    expect(waiters.stats().waiting).toBe(0);
  });
});

describe('events of other processes', () => {
  /** Until a function that is awaited for has been called so often. */
  const called = async (times: number, { mock }: { mock: { calls: unknown[] } }) => {
    while (mock.calls.length < times) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('wake exactly the requests that have not looked at their numbers, by one question for all', async () => {
    const organizations = Array.from({ length: 4 }, () => new Types.ObjectId());
    const waiting = fc.record({ organization: fc.nat(3), lookedUpTo: fc.nat(5) });
    const numbers = fc.array(fc.nat(5), { minLength: 4, maxLength: 4 });
    const histories = fc.record({ requests: fc.array(waiting, { minLength: 1 }), numbers });
    // Together: each waits for its question.
    const cases = fc.sample(histories, 300).map(async ({ requests, numbers: lasts }) => {
      const { enlist, last, lastNumbers, waiters } = newWaiters(100);
      const woken = requests.map(() => false);
      const enlisted = requests.map(({ organization, lookedUpTo }, index) => {
        const waiter = enlist(organizations[organization]);
        void waiter.news(lookedUpTo).then((hasNews) => (woken[index] = hasNews));
        return waiter;
      });
      lasts.forEach((number, index) => last.set(String(organizations[index]), number));
      await called(1, lastNumbers);
      await new Promise(setImmediate);
      expect(lastNumbers).toHaveBeenCalledTimes(1);
      expect(woken).toEqual(
        requests.map(({ organization, lookedUpTo }) => lookedUpTo < (lasts[organization] ?? 0)),
      );
      for (const waiter of enlisted) waiter.leave();
      expect(waiters.stats().waiting).toBe(0);
    });
    await Promise.all(cases);
  });

  it('are asked for one question after the other, and wake nobody while the database fails', async () => {
    const { enlist, last, lastNumbers } = newWaiters();
    const { promise, reject } = Promise.withResolvers<never>();
    lastNumbers.mockReturnValueOnce(promise);
    const waiter = enlist();
    last.set(one.toHexString(), 1);
    let isWoken = false;
    const news = waiter.news(0).then(() => (isWoken = true));
    await called(1, lastNumbers);
    await new Promise((resolve) => setTimeout(resolve, 600));
    reject(new Error('no primary'));
    await new Promise(setImmediate);
    expect([lastNumbers.mock.calls.length, isWoken]).toEqual([1, false]);
    await news;
    waiter.leave();
  });
});
