import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { type DeliveryUpdate, withSharedTimes } from './delivery-documents.js';

const at = (second: number) => new Date(second * 1_000);

/** What an attempt changes that began then and took a second. */
function update(second: number, fields: Partial<DeliveryUpdate['set']> = {}): DeliveryUpdate {
  const set = {
    attempts: 1,
    lastAttemptAt: at(second),
    lastStatusCode: 204,
    lastError: null,
    status: 'delivered' as const,
    failureReason: null,
    completedAt: at(second + 1),
    updatedAt: at(second + 1),
    ...fields,
  };
  return { _id: new Types.ObjectId(), leaseOwner: `lease ${second}`, set };
}

describe('updates of deliveries that are stored together', () => {
  it('are one and the same, with the times of the last, where nothing else differs', () => {
    const updates = [update(1), update(3), update(2)];
    const shared = withSharedTimes(updates);
    expect(shared.map(({ _id, leaseOwner }) => [_id, leaseOwner])).toEqual(
      updates.map(({ _id, leaseOwner }) => [_id, leaseOwner]),
    );
    expect(new Set(shared.map(({ set }) => set))).toEqual(new Set([updates[1]?.set]));
  });

  it.each([
    ['another status', { lastStatusCode: 200 }],
    ['an error beside the success', { lastError: 'The body broke off' }],
    ['a later attempt', { attempts: 2 }],
    ['a failure', { status: 'pending' as const, lastStatusCode: 500 }],
  ])('keep their own times: %s', (_what, fields) => {
    const updates = [update(1), update(2, fields), update(3), update(4, fields)];
    const [first, second, third, fourth] = withSharedTimes(updates).map(({ set }) => set);
    expect(first).toBe(third);
    expect(second?.lastStatusCode).toBe(updates[1]?.set.lastStatusCode);
    expect(second?.attempts).toBe(updates[1]?.set.attempts);
    expect(second).not.toBe(first);
    expect(fourth).toMatchObject(fields);
  });
});
