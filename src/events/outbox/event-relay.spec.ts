import { afterEach, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { Metrics } from '../../core/observability/metrics.js';
import { EventRelay } from './event-relay.js';
import { EventSignals } from './event-signals.js';
import { Outbox, pendingEvent } from './outbox.js';

let relay: EventRelay;
afterEach(() => relay.onModuleDestroy());

it('the relay runs without waiting for its interval when its process has stored an event', async () => {
  const signals = new EventSignals();
  const acquire = jest.fn(async () => false);
  const lease = { acquire, release: async () => undefined };
  relay = new EventRelay(
    ...([
      {},
      {},
      {},
      {},
      signals,
      {},
      { create: () => lease },
      new Metrics(),
    ] as unknown as ConstructorParameters<typeof EventRelay>),
  );
  const outbox = new Outbox(
    ...([{ add: async () => undefined }, signals] as unknown as ConstructorParameters<
      typeof Outbox
    >),
  );
  const event = pendingEvent(new Types.ObjectId(), { type: 'lead.created', data: {} }, new Date());
  relay.start();
  await new Promise(setImmediate);
  acquire.mockClear();
  // The timer of the interval cannot fire meanwhile, because nothing here leaves this turn of the event loop.
  await outbox.store([event]);
  expect(acquire).toHaveBeenCalledTimes(1);
});
