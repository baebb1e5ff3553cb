import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Types } from 'mongoose';
import { valueIn } from '../../../test/operations/metrics-text.js';
import { Metrics } from '../../core/observability/metrics.js';
import type { EventRelay } from '../outbox/event-relay.js';
import { LongPollWaiters } from './long-poll-waiters.js';

const [one, other] = [new Types.ObjectId(), new Types.ObjectId()];

function newWaiters(most = 10) {
  const last = new Map<string, number>();
  const lastNumbers = jest.fn(async (_ids: readonly Types.ObjectId[]) => last);
  const relay = { lastNumbers } as unknown as EventRelay;
  const metrics = new Metrics();
  const waiters = new LongPollWaiters(relay, metrics);
  waiters.maxWaiters = most;
  const client = new AbortController();
  const news = (organizationId = one, lookedUpTo = 0) =>
    waiters.waitForEvents(organizationId, lookedUpTo, client.signal);
  const number = (ids: readonly Types.ObjectId[]) => ids.forEach((id) => relay.onNumbered(id));
  return { waiters, metrics, client, news, number, last, lastNumbers };
}

describe('a request that waits for events', () => {
  it('ends the oldest wait of the organization with the most when too many wait', async () => {
    const { waiters, metrics, news, number } = newWaiters(3);
    const quiet = news(other);
    const [first, second] = [news(one), news(one)];
    const third = news(one);
    expect(await first).toBe(false);
    expect(await valueIn(metrics, 'event_requests_waiting')).toBe(3);
    expect(await valueIn(metrics, 'event_waits_cut_short_total')).toBe(1);
    number([one, other]);
    expect(await Promise.all([quiet, second, third])).toEqual([true, true, true]);
    expect(waiters.count).toBe(0);
  });
});

describe('the shared query for events of other processes', () => {
  const called = async (times: number, { mock }: { mock: { calls: unknown[] } }) => {
    while (mock.calls.length < times) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('wakes each request that has not read the last number exactly once', async () => {
    const organizations = Array.from({ length: 4 }, () => new Types.ObjectId());
    const waiting = fc.record({ organization: fc.nat(3), lookedUpTo: fc.nat(5) });
    const numbers = fc.array(fc.nat(5), { minLength: 4, maxLength: 4 });
    const histories = fc.record({ requests: fc.array(waiting, { minLength: 1 }), numbers });
    const cases = fc.sample(histories, 300).map(async ({ requests, numbers: lasts }) => {
      const { news, last, lastNumbers, client, waiters } = newWaiters(100);
      const woken = requests.map(() => false);
      const waits = requests.map(async ({ organization, lookedUpTo }, index) => {
        woken[index] = await news(organizations[organization], lookedUpTo);
      });
      lasts.forEach((number, index) => last.set(String(organizations[index]), number));
      await called(1, lastNumbers);
      await new Promise(setImmediate);
      const asked = lastNumbers.mock.calls[0]?.[0];
      expect(asked).toHaveLength(new Set(requests.map(({ organization }) => organization)).size);
      expect(woken).toEqual(
        requests.map(({ organization, lookedUpTo }) => lookedUpTo < (lasts[organization] ?? 0)),
      );
      client.abort();
      await Promise.all(waits);
      expect(waiters.count).toBe(0);
    });
    await Promise.all(cases);
  });

  it('does not overlap with itself, and wakes no request when it fails', async () => {
    const { news, last, lastNumbers } = newWaiters();
    const { promise, reject } = Promise.withResolvers<never>();
    lastNumbers.mockReturnValueOnce(promise);
    last.set(one.toHexString(), 1);
    let isWoken = false;
    const waiting = news().then(() => (isWoken = true));
    await called(1, lastNumbers);
    await new Promise((resolve) => setTimeout(resolve, 600));
    reject(new Error('no primary'));
    await new Promise(setImmediate);
    expect([lastNumbers.mock.calls.length, isWoken]).toEqual([1, false]);
    await waiting;
  });
});
