import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { Outbox } from './outbox.js';
import { pendingEvent } from './pending-event.js';

const organizationId = new Types.ObjectId();
const failure = new Error('no primary');
const findSubscriptions = jest.fn<() => Promise<unknown[]>>();
const insert = jest.fn<(events: readonly object[]) => Promise<void>>();
const unhandled = jest.fn();

beforeEach(() => {
  findSubscriptions.mockReset();
  insert.mockReset().mockResolvedValue();
  unhandled.mockReset();
  process.on('unhandledRejection', unhandled);
});
afterEach(() => void process.off('unhandledRejection', unhandled));

const outbox = () =>
  new Outbox(
    { insert } as never,
    { findSubscriptions } as never,
    { reportOwn: () => undefined } as never,
    { now: () => new Date() },
  );
const event = () =>
  pendingEvent(organizationId, { type: 'lead.created', data: { _id: 'x' } }, new Date());

describe('subscriptions that are asked for ahead', () => {
  it('decide what is left to relay, without being asked for again', async () => {
    findSubscriptions.mockResolvedValue([['unit.*']]);
    const ahead = outbox().askForSubscriptions(organizationId);
    await outbox().store([event()], ahead);
    expect(findSubscriptions).toHaveBeenCalledTimes(1);
    expect(insert).toHaveBeenCalledWith([expect.objectContaining({ relayedAt: expect.any(Date) })]);
  });

  it('that cannot be read fail the storing of events, and nothing where none are stored', async () => {
    findSubscriptions.mockRejectedValue(failure);
    void outbox().askForSubscriptions(organizationId);
    await nextTurn();
    await nextTurn();
    expect(unhandled).not.toHaveBeenCalled();
    const ahead = outbox().askForSubscriptions(organizationId);
    await expect(outbox().store([event()], ahead)).rejects.toBe(failure);
    expect(insert).not.toHaveBeenCalled();
  });
});
