import { afterEach, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { DeliveriesCreated } from '../deliveries/deliveries-created.js';
import { WebhookFanOut } from '../deliveries/webhook-fan-out.js';
import { WebhookWorker } from './webhook-worker.js';

let worker: WebhookWorker;
afterEach(() => worker.stop());

it('the worker runs without waiting for its interval when its process has created deliveries', async () => {
  const created = new DeliveriesCreated();
  const clock = { now: () => new Date() };
  const hasDue = jest.fn(async () => false);
  worker = new WebhookWorker(
    ...([
      { hasDue },
      {
        stopping: new AbortController(),
        aborting: new AbortController(),
        slots: { onIdle: async () => undefined },
      },
      created,
      clock,
    ] as unknown as ConstructorParameters<typeof WebhookWorker>),
  );
  const endpoint = { _id: new Types.ObjectId(), eventTypes: ['lead.created'] };
  const fanOut = new WebhookFanOut(
    ...([
      { findEnabled: async () => [endpoint] },
      { add: async () => undefined },
      clock,
      created,
    ] as unknown as ConstructorParameters<typeof WebhookFanOut>),
  );
  const organizationId = new Types.ObjectId();
  const handOn = (type: string) => {
    const event = { _id: new Types.ObjectId(), organizationId, type, data: {}, bytes: 1 };
    return fanOut.fanOut(organizationId, [event]);
  };
  worker.start();
  await new Promise(setImmediate);
  hasDue.mockClear();
  // The timer of the interval cannot fire meanwhile, because nothing here leaves this turn of the event loop.
  await handOn('lead.deleted');
  expect(hasDue).not.toHaveBeenCalled();
  await handOn('lead.created');
  expect(hasDue).toHaveBeenCalledTimes(1);
});
