import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { EventWaiters } from './event-waiters.js';

const [one, other] = [new Types.ObjectId(), new Types.ObjectId()];
const long = 60_000;

function newWaiters(most = 10) {
  const waiters = new EventWaiters({ listen: () => undefined }, most);
  const client = new AbortController();
  const enlist = (organizationId = one, milliseconds = long) =>
    waiters.enlist(organizationId, milliseconds, client.signal);
  return { waiters, client, enlist };
}

describe('those who wait for events', () => {
  it('hear of their organization only, and of what came before they listened', async () => {
    const { waiters, enlist } = newWaiters();
    const [mine, others] = [enlist(one), enlist(other)];
    waiters.onNews(one.toHexString());
    expect(await mine.news()).toBe(true);
    waiters.onGap();
    expect(await others.news()).toBe(true);
    expect(await mine.news()).toBe(true);
    for (const waiter of [mine, others]) waiter.leave();
    expect(waiters.stats()).toEqual({ waiting: 0, cutShort: 0 });
  });

  it('end when their time is over, their client leaves, or the process ends', async () => {
    const { waiters, client, enlist } = newWaiters();
    const short = enlist(one, 1);
    expect([await short.news(), await short.news()]).toEqual([false, false]);
    const left = enlist();
    client.abort();
    expect(await left.news()).toBe(false);
    const afterwards = enlist();
    expect(await afterwards.news()).toBe(false);
    const ending = newWaiters();
    const early = ending.enlist();
    ending.waiters.endAll();
    const late = ending.enlist();
    expect([await early.news(), await late.news()]).toEqual([false, false]);
    for (const each of [short, left, afterwards, early, late]) each.leave();
    expect(waiters.stats().waiting).toBe(0);
  });

  it('are never too many: the longest of the organization with the most makes room', async () => {
    const { waiters, enlist } = newWaiters(3);
    const quiet = enlist(other);
    const [first, second] = [enlist(one), enlist(one)];
    const third = enlist(one);
    expect(await first.news()).toBe(false);
    expect(waiters.stats()).toEqual({ waiting: 3, cutShort: 1 });
    waiters.onGap();
    for (const waiter of [quiet, second, third]) expect(await waiter.news()).toBe(true);
    for (const waiter of [quiet, first, second, third]) waiter.leave();
    expect(waiters.stats().waiting).toBe(0);
  });
});
