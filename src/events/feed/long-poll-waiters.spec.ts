import { describe, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { valueIn } from '../../../test/operations/metrics-text.js';
import { eventually } from '../../../test/support/eventually.js';
import { Metrics } from '../../core/observability/metrics.js';
import type { EventFeedsRepository } from '../outbox/event-feeds.repository.js';
import { EventSignals } from '../outbox/event-signals.js';
import { LongPollWaiters } from './long-poll-waiters.js';

const [one, other] = [new Types.ObjectId(), new Types.ObjectId()];

function newWaiters() {
  const last = new Map<string, number>();
  const lastNumbers = jest.fn(async (_ids: readonly Types.ObjectId[]) => last);
  const feeds = { lastNumbers } as unknown as EventFeedsRepository;
  const signals = new EventSignals();
  const metrics = new Metrics();
  const waiters = new LongPollWaiters(feeds, signals, metrics);
  const client = new AbortController();
  const waitFor = (organizationId: Types.ObjectId, lastRead = 0) =>
    waiters.waitForEvents(organizationId, lastRead, client.signal);
  return { waiters, metrics, client, waitFor, signals, last, lastNumbers };
}

describe('a request that waits for events', () => {
  it('ends at the limit when it is the oldest of the organization with the most waits', async () => {
    const { waiters, metrics, waitFor, signals } = newWaiters();
    waiters.maxWaiters = 3;
    const quiet = waitFor(other);
    const [first, second, third] = [waitFor(one), waitFor(one), waitFor(one)];
    expect(await first).toBe(false);
    expect(await valueIn(metrics, 'event_requests_waiting')).toBe(3);
    expect(await valueIn(metrics, 'event_waits_cut_short_total')).toBe(1);
    for (const id of [one, other]) signals.numbered.next(id);
    expect(await Promise.all([quiet, second, third])).toEqual([true, true, true]);
    expect(waiters.count).toBe(0);
  });

  it('is woken by the shared query only for a number that it has not read', async () => {
    const { waiters, client, waitFor, last, lastNumbers } = newWaiters();
    last.set(one.toHexString(), 5).set(other.toHexString(), 0);
    const woken = [waitFor(one, 3), waitFor(one, 4)];
    const waiting = [waitFor(one, 5), waitFor(other)];
    expect(await Promise.all(woken)).toEqual([true, true]);
    expect(lastNumbers.mock.calls).toEqual([[[one, other]]]);
    expect(waiters.count).toBe(2);
    client.abort();
    expect(await Promise.all(waiting)).toEqual([false, false]);
  });

  it('is not woken by a failed query, and the next query starts only after it', async () => {
    const { waitFor, last, lastNumbers } = newWaiters();
    const { promise, reject } = Promise.withResolvers<never>();
    lastNumbers.mockReturnValueOnce(promise);
    last.set(one.toHexString(), 1);
    const woken = jest.fn();
    const waiting = waitFor(one).then(woken);
    await eventually(() => expect(lastNumbers).toHaveBeenCalled());
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(lastNumbers).toHaveBeenCalledTimes(1);
    reject(new Error('no primary'));
    await new Promise(setImmediate);
    expect(woken).not.toHaveBeenCalled();
    await waiting;
  });
});
