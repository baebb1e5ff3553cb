import { expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import type { RequestCaller } from '../../core/http/request-caller.js';
import type { Environment } from '../../core/configuration/environment.js';
import { Metrics } from '../../core/observability/metrics.js';
import type { EventFeedsRepository } from '../outbox/event-feeds.repository.js';
import type { EventRelay } from '../outbox/event-relay.js';
import type { EventFeedService } from './event-feed.service.js';
import { EventWaiters } from './event-waiters.js';
import { EventsService } from './events.service.js';

const caller = { organizationId: new Types.ObjectId() } as RequestCaller;

it('a search that finds nothing ends with the wait, however much there is left to search', async () => {
  const relay = { onNumbered: () => undefined } as unknown as EventRelay;
  const feeds = { lastNumbers: async () => new Map() } as unknown as EventFeedsRepository;
  const waiters = new EventWaiters(relay, feeds, new Metrics());
  const page = jest.fn(async (_organizationId: Types.ObjectId, { after }: { after: number }) => {
    // The process is to end while the third page is read.
    if (after === 2) waiters.endAll();
    if (after > 10) throw new Error('It goes on and on.');
    return { events: [], next: after + 1, hasMore: true };
  });
  const feed = { page, numberOf: async () => 0 } as unknown as EventFeedService;
  const environment = { DATABASE_DEADLINE_MS: 8_000 } as Environment;
  const events = new EventsService(feed, waiters, environment);
  const query = { types: 'unit.updated', wait: '20' };
  const found = await events.read(caller, query, new AbortController().signal);
  expect(found).toMatchObject({ events: [], next: 3, hasMore: true });
  expect(waiters.count).toBe(0);
});
